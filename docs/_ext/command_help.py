"""The help of a command, taken from the command itself when the pages are built.

    ```{command-help} fit
    ```

gives how it is called, what it does, its examples, and a list of its options.
"""

from __future__ import annotations

import inspect
from typing import Any

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from treekernels.cli.main import command


def described(text: str) -> tuple[list[str], str]:
    """Return the paragraphs of a help text, and its examples without indentation."""
    paragraphs, examples = [], ""
    for block in inspect.cleandoc(text).split("\n\n"):
        if block.startswith("\b"):
            lines = block.splitlines()[2:]  # after the mark, and the word "Examples:"
            examples = inspect.cleandoc("\n".join(lines))
        else:
            paragraphs.append(" ".join(block.split()))
    return paragraphs, examples


def options_of(found: click.Command, context: click.Context) -> list[tuple[str, str]]:
    """Return how each option is written, and what it does."""
    records = (parameter.get_help_record(context) for parameter in found.get_params(context))
    return [record for record in records if record is not None]


class CommandHelp(SphinxDirective):
    """Puts the help of a command onto a page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the nodes of the help."""
        name = self.arguments[0]
        group = click.Context(command, info_name="treekernels")
        found = command.get_command(group, name)
        if found is None:
            raise self.error(f"there is no command {name!r}")
        context = click.Context(found, info_name=name, parent=group)
        paragraphs, examples = described(found.help or "")
        usage = context.get_usage().removeprefix("Usage: ")
        result: list[nodes.Node] = [self._code(" ".join(usage.split()))]
        result += [nodes.paragraph("", paragraph) for paragraph in paragraphs]
        result.append(self._code(examples))
        definitions = nodes.definition_list()
        for written, meaning in options_of(found, context):
            term = nodes.term("", "", nodes.literal("", written))
            meant = nodes.definition("", nodes.paragraph("", " ".join(meaning.split())))
            definitions += nodes.definition_list_item("", term, meant)
        return [*result, definitions]

    def _code(self, text: str) -> nodes.Node:
        return nodes.literal_block(text, text, language="console")


def setup(app: Sphinx) -> dict[str, Any]:
    """Make the directive known."""
    app.add_directive("command-help", CommandHelp)
    return {"version": "1", "parallel_read_safe": True}
