"""The ball |w| <= radius: one per parameter, or one per row of it (max-norm: the weights that enter one unit)."""

from typing import Any

import torch
from torch import Tensor


def project(vs: list[Tensor], group: dict, lists: Any) -> list[Tensor]:
    """The nearest points of the ball; the tensors themselves where there is none."""
    if group["radius"] is None:
        return vs
    return lists.times(vs, [_shrink(v, group["radius"], group["per_row"]) for v in vs])


def _shrink(v: Tensor, radius: float, per_row: bool) -> Tensor:
    """min(1, radius/|v|); a vector or a number is one row."""
    precise = torch.float32 if v.dtype in (torch.bfloat16, torch.float16) else None
    dim = tuple(range(1, v.ndim)) if per_row and v.ndim > 1 else None
    norm = torch.linalg.vector_norm(v, dim=dim, keepdim=dim is not None, dtype=precise)
    return (radius / norm).clamp(max=1.0).to(v.dtype)
