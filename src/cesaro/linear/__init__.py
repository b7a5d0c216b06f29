"""Linear models on sparse data: the methods of the paper, and anchored dual sweeps, in O(nnz)."""
