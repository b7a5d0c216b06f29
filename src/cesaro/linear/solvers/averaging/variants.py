"""What distinguishes the paper's methods for linear models: one row each."""

from typing import Any, NamedTuple


class Variant(NamedTuple):
    """A method; its weights are e^power in epoch e."""

    primal: bool = False  # slopes at the average
    keep: bool = False  # the projection is kept
    last: bool = False  # returns the last point
    cubic: bool = False  # output weights t^3
    power: int = 0


VARIANTS = {
    "gda": Variant(cubic=True),
    "sc-pda": Variant(primal=True, power=1),
    "pegasos": Variant(keep=True, last=True),
    "pa-psg-sc": Variant(primal=True, keep=True, power=1),
    "sc-rda": Variant(),
}


class EpochPower(NamedTuple):
    """Weights e^power, as far as they are needed here."""

    power: int  # 0 or 1

    def relative(self, t: int) -> float:
        """(1 + ... + t^power) / t^power."""
        return (t + self.power) / (1 + self.power)


def variant_and_weights(solver: str, averaging: Any) -> tuple[Variant, Any]:
    """Of a solver by its name; with weights of the user's own the output has them too."""
    variant = VARIANTS[solver]
    return (variant, EpochPower(variant.power)) if averaging == "auto" else (variant._replace(cubic=False), averaging)


def unit_ratio(weights: Any, epoch: int) -> float:
    """a_{e-1} / a_e: sums are kept in units of the present epoch's weight."""
    return (weights.relative(epoch) - 1.0) / weights.relative(epoch - 1) if epoch > 1 else 1.0
