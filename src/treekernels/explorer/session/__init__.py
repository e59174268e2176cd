"""What is explored: a model, a corpus, trees that somebody writes, and work on them."""
