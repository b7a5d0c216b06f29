"""The methods, one file each: the printed formula, O(d). ALL maps every name to its class."""

from .anytime import Anytime, AnytimePrinted
from .da import DA
from .gda import GDA
from .linear_decay import LinearDecay
from .method import Method
from .mirror_descent import Entropy, Euclidean, MirrorDescent
from .optimal_rda import OptimalRDA
from .pa_psg import PAPSG
from .pa_psg_sc import PAPSGSC
from .pda import PDA
from .pegasos import Pegasos
from .psg import PSG
from .rda import RDA
from .sc_pda import SCPDA
from .sc_rda import SCRDA
from .schedule import Now, Schedule

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
    "optimal-rda": OptimalRDA,
}

__all__ = [
    "ALL",
    "DA",
    "GDA",
    "PAPSG",
    "PAPSGSC",
    "PDA",
    "PSG",
    "RDA",
    "SCPDA",
    "SCRDA",
    "Anytime",
    "AnytimePrinted",
    "Entropy",
    "Euclidean",
    "LinearDecay",
    "Method",
    "MirrorDescent",
    "Now",
    "OptimalRDA",
    "Pegasos",
    "Schedule",
]
