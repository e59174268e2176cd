"""What every kernel is built on: parameters, matrices of results, and the class of tree kernels."""
