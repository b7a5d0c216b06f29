"""Domains Q of the constraint w in Q. `project` is all that a method needs; the rest serves the certificate.

project(x)   the nearest point of Q
lowest(s)    min over w in Q of <s, w>, -inf if there is none: the lower model where mu = 0
reach(x)     max over w in Q of |w - x|, inf if Q is unbounded: how far the solution can be
"""

from cesaro.domains.arguments import Projected, make_domain
from cesaro.domains.ball import Ball
from cesaro.domains.box import Box, Nonnegative
from cesaro.domains.everywhere import Everywhere
from cesaro.domains.halfspace import Halfspace
from cesaro.domains.interface import Domain
from cesaro.domains.simplex import L1Ball, Simplex

__all__ = [
    "Ball",
    "Box",
    "Domain",
    "Everywhere",
    "Halfspace",
    "L1Ball",
    "Nonnegative",
    "Projected",
    "Simplex",
    "make_domain",
]
