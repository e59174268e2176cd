"""How learners of a cluster learn: what they have in common, their shards, and their rounds."""
