"""The kernel's floats are Python's, to the bit, wherever it is sure of itself; and it is sure of itself where it should be."""

import struct

import numpy as np
import pytest
from compiled import compiled
from hypothesis import given, settings
from hypothesis import strategies as st

from cesaro.data.svmlight import decimals
from cesaro.data.svmlight.decimals import HIGHEST, LOWEST

compose, read_decimal, leading_zeros, wide_product = compiled(
    decimals.compose, decimals.read_decimal, decimals.leading_zeros, decimals.wide_product
)


def read(token: str):
    return read_decimal(np.frombuffer(token.encode() + b" \n", np.uint8), 0)


def check(token: str):
    """The kernel's value is that of float, or it leaves the number to float; whether it answered."""
    value, end, certain = read(token)
    if certain:
        assert end == len(token)
        assert struct.pack("<d", value) == struct.pack("<d", float(token))
    return certain


@settings(deadline=None)
@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["{!r}", "{:.17g}", "{:.6g}", "{:.18e}", "{:f}", "{:+.3E}"]),
)
def test_any_float_in_any_format(x, form):
    check(form.format(x))


@settings(deadline=None)
@given(st.integers(0, 10**19 - 1), st.integers(-400, 400))
def test_any_nineteen_digits_with_any_exponent(w, q):
    check(f"{w}e{q}")


@settings(deadline=None)
@given(st.integers(2**52, 2**53 - 1), st.integers(0, 3), st.integers(0, 12))
def test_halves_between_two_floats_go_to_the_even_one(m, fives, twos):
    check(f"{(2 * m + 1) * 5**fives}e-{fives}")
    check(f"{(2 * m + 1) * 2**twos}")


@settings(deadline=None)
@given(st.integers(1, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_products_have_128_bits(a, b):
    high, low = wide_product(np.uint64(a), np.uint64(b))
    assert int(high) << 64 | int(low) == a * b
    assert leading_zeros(np.uint64(a)) == 64 - a.bit_length()


@pytest.mark.parametrize("q", range(LOWEST, HIGHEST + 1, 25))
def test_numbers_with_the_digits_of_a_double_are_decided_by_the_kernel(q):
    """Otherwise files written with 17 digits would be read by Python, one number at a time."""
    rng = np.random.default_rng(q + 1000)
    w = rng.integers(10**16, 10**17, 200)
    decided = [compose(np.uint64(x), q)[1] for x in w]
    inside = [2.3e-308 < float(f"{x}e{q}") < 1.7e308 for x in w]
    assert decided == inside


@pytest.mark.parametrize(
    "token",
    ["0", "-0", "+0.0", "0e999", "00012.50", ".5", "5.", "-.5e+1", "1E5", "9007199254740993", "1e22", "1e23", "8.5e-5"],
)
def test_plain_decimals_are_decided_by_the_kernel(token):
    assert check(token)


@pytest.mark.parametrize(
    "token", ["", "+", ".", "e5", "1e", "1e+", "+-1", "nan", "inf", "5e-324", "1e309", "1" * 20, "0." + "3" * 20]
)
def test_what_is_no_plain_decimal_or_too_long_is_left_to_python(token):
    assert not read(token)[2]


@pytest.mark.parametrize("token", ["1_0", "0x10", "1.2.3", "1e5.", "1-1", "1:2"])
def test_a_number_ends_where_its_grammar_ends(token):
    assert read(token)[1] < len(token)
