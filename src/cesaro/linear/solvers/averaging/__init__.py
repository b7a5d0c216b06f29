"""The paper's methods as they are, in O(nnz): one recursion, its mini-batch, elastic net and multi-target forms."""
