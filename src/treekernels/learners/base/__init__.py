"""What all learners share: examples, labels, weights of examples, checkpoints."""
