"""Near-copies among pieces of files, as the command ``treekernels duplicates`` finds them."""
