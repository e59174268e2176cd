"""The machinery of all readers: sources, lines, errors, and trees built node by node."""
