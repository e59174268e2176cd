"""Labels that match although they differ: tables, functions and word vectors."""
