"""The machinery of mapping kernels: classes of parts, their local values, and their features."""
