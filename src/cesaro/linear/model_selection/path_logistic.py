"""The implicit step of `path_kernels` for the logistic loss, at every model of a vector register.

With z = y <x, w> and H = a |x|^2 / (mu Gamma) the dual value is b = y s(t), s the sigmoid, where t + z + H s(t) = 0
(`implicit_sigmoid`); a plane is a lower bound with any b between 0 and y.
"""

from cesaro.compiled.llvm_vectors import where_less
from cesaro.compiled.vector_functions import log_one_plus
from cesaro.compiled.vector_ops import map_lanes
from cesaro.linear.problem.implicit_sigmoid import root_below_zero

STEPS = 4


def logistic_formula(a, q, half, one, zero, y, mu, mask, m, G, cut, g):
    """The new mu Gamma, the new sum of the cut, and g = a b; q is a |x|^2."""
    G = G + a * mu * mask
    H = q / G
    middle = y * m / G + half * H
    t, e, s = root_below_zero(middle, H, half, one, zero, STEPS)
    b = y * where_less(middle, zero, one - s, s)
    return G, cut + a * mask * (log_one_plus(e) - s * t), a * mask * b


step_logistic = map_lanes(logistic_formula)
