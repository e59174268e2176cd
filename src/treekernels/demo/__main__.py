"""``python -m treekernels.demo`` runs the demo."""

from treekernels.demo.run import main

if __name__ == "__main__":
    main()
