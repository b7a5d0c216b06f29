"""Averaging optimisers for PyTorch (extra: torch). The weights that are trained are the weights to evaluate."""

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError("cesaro.optim needs PyTorch, which is not installed: pip install cesaro[torch]") from error

from cesaro.optim.averaged_adamw import averaged_adamw
from cesaro.optim.averaged_wrapper import Averaged
from cesaro.optim.gda import GDA
from cesaro.optim.interpolated import Interpolated
from cesaro.optim.sc_pda import SCPDA
from cesaro.optim.scheduler import AveragingLR

__all__ = ["GDA", "SCPDA", "Averaged", "AveragingLR", "Interpolated", "averaged_adamw"]


def __dir__() -> list[str]:
    return __all__
