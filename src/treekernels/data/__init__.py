"""Trees in memory: forests, tables, sentence pairs, and the columns that kernels look at."""
