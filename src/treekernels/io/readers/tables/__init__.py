"""Files of examples: trees with labels, vectors and texts beside them."""
