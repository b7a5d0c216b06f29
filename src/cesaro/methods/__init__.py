"""The methods, one file each: the printed formula, O(d). ALL maps every name to its class."""

from cesaro.methods.anytime import Anytime, AnytimePrinted
from cesaro.methods.da import DA
from cesaro.methods.epoch_gd import EpochGD
from cesaro.methods.gda import GDA
from cesaro.methods.known_horizon import KnownHorizon
from cesaro.methods.linear_decay import LinearDecay
from cesaro.methods.method import ConvexMethod, Method, StronglyConvexMethod
from cesaro.methods.mirror_descent import Entropy, Euclidean, MirrorDescent
from cesaro.methods.optimal_rda import OptimalRDA
from cesaro.methods.pa_psg import PAPSG
from cesaro.methods.pa_psg_sc import PAPSGSC
from cesaro.methods.pda import PDA
from cesaro.methods.pegasos import Pegasos, PegasosBall
from cesaro.methods.piwa import PIWA
from cesaro.methods.psg import PSG
from cesaro.methods.rda import RDA
from cesaro.methods.sc_pda import SCPDA
from cesaro.methods.sc_rda import SCRDA
from cesaro.methods.schedule import Schedule, StepWeights

ALL: dict[str, type[Method]] = {
    "psg": PSG,
    "psg-linear-decay": LinearDecay,
    "mirror-descent": MirrorDescent,
    "da": DA,
    "rda": RDA,
    "sc-rda": SCRDA,
    "pda": PDA,
    "pa-psg": PAPSG,
    "pa-psg-sc": PAPSGSC,
    "anytime": Anytime,
    "anytime-printed": AnytimePrinted,
    "gda": GDA,
    "sc-pda": SCPDA,
    "pegasos": Pegasos,
    "pegasos-ball": PegasosBall,
    "piwa": PIWA,
    "epoch-gd": EpochGD,
    "known-horizon": KnownHorizon,
    "optimal-rda": OptimalRDA,
}

__all__ = [
    "ALL",
    "DA",
    "GDA",
    "PAPSG",
    "PAPSGSC",
    "PDA",
    "PIWA",
    "PSG",
    "RDA",
    "SCPDA",
    "SCRDA",
    "Anytime",
    "AnytimePrinted",
    "ConvexMethod",
    "Entropy",
    "EpochGD",
    "Euclidean",
    "KnownHorizon",
    "LinearDecay",
    "Method",
    "MirrorDescent",
    "OptimalRDA",
    "Pegasos",
    "PegasosBall",
    "Schedule",
    "StepWeights",
    "StronglyConvexMethod",
]
