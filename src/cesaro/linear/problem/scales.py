"""Numbers of any size: which are refused, and units in which those that are not neither overflow nor vanish.

What is promised of a fit holds for data between `LEAST` and `MOST`: beyond them squares are no numbers any more.
"""

import math

import numpy as np
from numba import njit

from cesaro.compiled.flags import KERNEL, LOOP
from cesaro.linear.problem.block_order import pieces
from cesaro.linear.problem.csr import Rows
from cesaro.linear.problem.problem import Problem

LEAST, MOST = 1e-151, 1e151  # of the largest entry of X, of the largest target, of alpha
EVEN, NEGLIGIBLE = 100.0, 0.2  # columns of about one scale; what small ones may move a prediction by, and yet not count
ORDINARY = 1e20  # entries of X up to that, and down to its inverse, are left as they are


class ScaleError(ValueError):
    """Data or parameters are of a size for which nothing can be promised: not between 1e-151 and 1e151.

    It is a ValueError, and its message says which number is too large or too small, and what to do.

    Examples
    --------
    >>> from cesaro import DualAveragingRegressor
    >>> DualAveragingRegressor().fit([[1.0], [2.0]], [1e-200, 3e-200])
    Traceback (most recent call last):
        ...
    cesaro.linear.problem.scales.ScaleError: the largest target (less their mean, with an intercept) is 1e-200, too small: ...
    """


def of_ordinary_size(v: np.ndarray) -> np.ndarray:
    """Weights whose sums neither overflow nor vanish: only their ratios count, so a power of two is taken out."""
    _, exponent = np.frexp(v.max())
    return v if abs(exponent) <= 500 else np.ldexp(v, -exponent)


def largest_entry(problem: Problem) -> float:
    """The largest |x| of all entries, that of the intercept among them."""
    if problem.largest is not None:
        return problem.largest
    data = problem.rows.data
    bits = data.view(np.uint64 if data.itemsize == 8 else np.uint32)
    mask = bits.dtype.type(2 ** (8 * data.itemsize - 1) - 1)
    top = max((largest_bits(bits[piece], mask) for piece in pieces(len(bits))), default=0)
    return max(float(bits.dtype.type(top).view(data.dtype)), abs(problem.rows.bias))


@njit(**LOOP)
def largest_bits(bits, mask):
    """The largest of floats without their sign, as whole numbers: these have the same order, and NaN above all."""
    top = mask & np.uint32(0)
    for k in range(bits.shape[0]):
        top = max(top, bits[k] & mask)
    return top


def column_sizes(rows: Rows) -> np.ndarray:
    """The largest |x| of every column."""
    top = np.zeros(rows.d, rows.data.dtype)
    largest_entries(rows.data, rows.col, top)
    return top


def uneven_factor(rows: Rows, v: np.ndarray, mu: float) -> float:
    """The largest column over the smallest that counts; NaN if X is zero.

    An optimum has w_j = -mean_i(loss'_i x_ij) / mu. Where the slopes of the loss are at most 1 (for targets: their spread),
    the columns of a set move prediction i by sum_j |x_ij| mean_k |x_kj| / mu at most. Columns EVEN times smaller than the
    largest do not count if all of them together move no prediction by more than NEGLIGIBLE: the rarest words of long texts.
    """
    top = column_sizes(rows)
    used = top > 0.0
    if not used.any():
        return math.nan
    small = used & (top < top.max() / EVEN)
    if small.any() and moved_by(small, rows.data, rows.col, rows.ptr, v, np.zeros(rows.d)) <= NEGLIGIBLE * mu * v.sum():
        used &= ~small
    return float(top.max()) / float(top[used].min())


@njit(**KERNEL)
def moved_by(some, data, col, ptr, v, total):
    """max_i sum_j |x_ij| sum_k v_k |x_kj| over some of the columns; `total`, zeros, becomes the inner sums."""
    for i in range(len(ptr) - 1):
        for k in range(ptr[i], ptr[i + 1]):
            if some[col[k]]:
                total[col[k]] += v[i] * abs(data[k])
    most = 0.0
    for i in range(len(ptr) - 1):
        here = 0.0
        for k in range(ptr[i], ptr[i + 1]):
            here += abs(data[k]) * total[col[k]]
        most = max(most, here)
    return most


@njit(**KERNEL)
def largest_entries(data, col, top):
    """top_j = max |x_ij|."""
    for k in range(data.shape[0]):
        top[col[k]] = max(top[col[k]], abs(data[k]))


def in_range(problems: list[Problem]) -> list[Problem]:
    """The problems, which share their rows, with the largest entry of these; an error where nothing can be promised."""
    one = problems[0]
    bias = abs(one.rows.bias)
    largest = largest_entry(one._replace(rows=one.rows._replace(bias=0.0)))
    _check(largest, "the largest entry of X", "Multiply X by a number, and alpha by its square.")
    _check(bias, "intercept_scaling", "A number of the size of X suits.")
    _check(one.mu + one.l1, "alpha", "It is compared with the mean loss.")
    for problem in problems:
        y = max(float(np.abs(problem.y[piece]).max()) for piece in pieces(len(problem.y)))
        _check(y, "the largest target (less their mean, with an intercept)", "Divide y by its standard deviation.")
    return [problem._replace(largest=max(largest, bias)) for problem in problems]


def _check(size: float, name: str, advice: str) -> None:
    if size != 0.0 and not LEAST <= size <= MOST:
        word = "large" if size > MOST else "small"
        raise ScaleError(
            f"{name} is {size:g}, too {word}: results are right between {LEAST:g} and {MOST:g} only. {advice}"
        )


def suits_single_precision(problem: Problem) -> bool:
    """Whether squares of entries, and the penalty of all rows, are numbers in single precision."""
    return 1e-8 <= largest_entry(problem) <= 1e8 and 1e-30 <= problem.mu * problem.rows.n <= 1e30


def rescaled(problem: Problem) -> tuple[Problem, float]:
    """The same problem in units in which squares neither overflow nor vanish, and the factor that takes its w back.

    x = t x' with a power of two t, w = w'/t, mu' = mu/t^2, l1' = l1/t. Data of an ordinary size are left as they are;
    of others a scaled copy is made. A mu' beyond 1e200 is set to that: its w is 0 to the last digit either way.
    """
    rows, largest = problem.rows, largest_entry(problem)
    if largest == 0.0 or 1.0 / ORDINARY <= largest <= ORDINARY:
        return problem, 1.0
    t = 2.0 ** math.floor(math.log2(largest))
    rows = rows._replace(data=rows.data.astype(np.float64) / t, bias=rows.bias / t)
    mu = min(float(problem.mu) / t / t, 1e200)
    scaled = problem._replace(rows=rows, mu=mu, l1=float(problem.l1) / t, radius=float(problem.radius) * t)
    return scaled._replace(largest=largest / t), 1.0 / t
