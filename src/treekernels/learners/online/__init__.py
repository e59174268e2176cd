"""Learning from one example after the other: perceptrons and passive-aggressive learners."""
