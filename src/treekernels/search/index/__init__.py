"""What an index is made of: its trees, what they are called, and what a search returns."""
