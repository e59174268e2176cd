"""Source code: Python, SQL, notebooks, and all languages of tree-sitter."""
