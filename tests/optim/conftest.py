"""One thread per process: the tensors here are tiny, and the test processes share the cores."""

import importlib.util

if importlib.util.find_spec("torch"):
    import torch

    torch.set_num_threads(1)
