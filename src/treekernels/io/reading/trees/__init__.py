"""Trees built node by node, and what becomes a node."""
