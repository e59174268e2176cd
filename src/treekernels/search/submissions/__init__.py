"""What submissions of a course have in common, as ``treekernels submissions`` finds it."""
