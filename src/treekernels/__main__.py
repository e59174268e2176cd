"""``python -m treekernels``: the same as the command ``treekernels``."""

from treekernels.cli.main import main

if __name__ == "__main__":
    main()
