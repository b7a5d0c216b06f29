"""How kernels are compiled: flags, prefetching, vector instructions, one BLAS thread. No mathematics of ours."""
