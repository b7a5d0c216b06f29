"""The ball |w| <= radius: one per parameter, or one per row of it (max-norm: the weights that enter one unit).

P(v) = s v with s = min(1, radius/|v|), a number or one number per row, so that no projected copy is ever needed.
"""

from typing import Any

import torch
from torch import Tensor


def ball_scales(vs: list[Tensor], group: dict[str, Any]) -> list[Tensor]:
    """s for every parameter."""
    return [ball_scale(v, group) for v in vs]


def ball_scale(v: Tensor, group: dict[str, Any]) -> Tensor:
    """min(1, radius/|v|); a vector or a number is one row."""
    precise = torch.float32 if v.dtype in (torch.bfloat16, torch.float16) else None
    dim = tuple(range(1, v.ndim)) if group["per_row"] and v.ndim > 1 else None
    norm = torch.linalg.vector_norm(v, dim=dim, keepdim=dim is not None, dtype=precise)
    scale: Tensor = (group["radius"] / norm).clamp(max=1.0).to(v.dtype)
    return scale
