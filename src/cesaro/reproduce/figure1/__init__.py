"""Figure 1: support vector machines by the methods of the paper."""
