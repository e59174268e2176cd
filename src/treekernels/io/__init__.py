"""Files in and out: readers, writers, the container of models, and the one atomic writer."""
