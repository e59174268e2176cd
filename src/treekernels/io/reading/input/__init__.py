"""Files and folders, their lines, what is wrong in them, and where trees come from."""
