"""The colours of the page, from those of all drawings."""

from __future__ import annotations

from treekernels.drawing.colours import AGAINST, FOR, GROUPS, IN_THE_DARK

__all__ = ["colours_css"]


def colours_css() -> str:
    """Return rules that name the colours, and lighten them where the page is dark."""
    dark = dict(zip(GROUPS, IN_THE_DARK, strict=True))
    light = [f"--for: {FOR}; --against: {AGAINST}"]
    light += [f"--group{place}: {colour}" for place, colour in enumerate(GROUPS)]
    night = [f"--for: {dark[FOR]}; --against: {dark[AGAINST]}"]
    night += [f"--group{place}: {colour}" for place, colour in enumerate(IN_THE_DARK)]
    rules = [
        f'  svg [{name}="{one}"] {{ {name}: {other} }}'
        for one, other in dark.items()
        for name in ("fill", "stroke")
    ]
    return "\n".join(
        [
            f":root {{ {'; '.join(light)} }}",
            "@media (prefers-color-scheme: dark) {",
            f"  :root {{ {'; '.join(night)} }}",
            *rules,
            "}",
            "",
        ]
    )
