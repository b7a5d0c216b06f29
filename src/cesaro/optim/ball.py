"""The ball |w| <= radius: one per parameter, or one per row of it (max-norm: the weights that enter one unit).

P(v) = s v with s = min(1, radius/|v|), a number or one number per row, so that no projected copy is ever needed.
"""

import math
from typing import Any

import torch
from torch import Tensor


def ball_scales(vs: list[Tensor], group: dict[str, Any]) -> list[Tensor]:
    """s for every parameter."""
    return [ball_scale(v, group) for v in vs]


def ball_scale(v: Tensor, group: dict[str, Any], square: float | None = None) -> Tensor:
    """min(1, radius/|v|); a vector or a number is one row. `square` is |v|^2, if it is known."""
    if square is not None and square < math.inf and not group["per_row"]:
        return torch.tensor(min(1.0, group["radius"] / math.sqrt(square)) if square else 1.0, dtype=v.dtype)
    dim = tuple(range(1, v.ndim)) if group["per_row"] and v.ndim > 1 else None
    norm = _norm(v, dim)
    scale: Tensor = (group["radius"] / norm).clamp(max=1.0).to(v.dtype)
    return scale


def squares_of(vs: list[Tensor]) -> dict[int, float]:
    """|v|^2 by id(v) in one call, where the device need not be waited for and no digits are lost."""
    if torch.compiler.is_compiling() or any(type(v) is not Tensor or v.device.type != "cpu" for v in vs):
        return {}
    plain = [v for v in vs if v.dtype in (torch.float32, torch.float64)]
    norms = [norm.item() for norm in torch._foreach_norm(plain)] if plain else []
    return {id(v): norm * norm for v, norm in zip(plain, norms, strict=True)}


def into_ball_(x: Tensor, group: dict[str, Any]) -> Tensor:
    """x = P(x), where there is a ball."""
    return x if group["radius"] is None else x.mul_(ball_scale(x, group))


def _norm(v: Tensor, dim: tuple[int, ...] | None) -> Tensor:
    """|v|, also where squares of entries overflow."""
    short = v.dtype in (torch.bfloat16, torch.float16)
    how: dict[str, Any] = {"dim": dim, "keepdim": dim is not None, "dtype": torch.float32 if short else None}
    if torch.compiler.is_compiling() or v.device.type != "cpu" or type(v) not in (Tensor, torch.nn.Parameter):
        how["dtype"] = None if v.dtype in (torch.float64, torch.complex128) or v.is_complex() else torch.float64
        return torch.linalg.vector_norm(v, **how)  # a look at the norm would wait for the device
    norm: Tensor = torch.linalg.vector_norm(v, **how)
    if not bool(norm.isfinite().all()):
        largest = v.abs().amax() if dim is None else v.abs().amax(dim, keepdim=True)
        largest = largest.clamp(min=torch.finfo(largest.dtype).tiny)
        norm = torch.linalg.vector_norm(v / largest, **how).double() * largest.double()
    return norm
