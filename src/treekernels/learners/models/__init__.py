"""What learners learn: a model, and what it keeps for each summand of its kernel."""
