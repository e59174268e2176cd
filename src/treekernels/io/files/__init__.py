"""Files that are written whole or not at all: models, matrices, and room on the disk."""
