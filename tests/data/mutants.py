"""Svmlight files with something changed in them, and the verdict on reading one: scikit-learn is the oracle."""

import io
import math
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

from cesaro.data.svmlight.errors import SvmlightError
from cesaro.data.svmlight.parser import TOKEN
from cesaro.data.svmlight.reader import blocks, read_svmlight

SEEDS = [
    b"+1 1:0.5 3:-2e-3 7:1\n-1 2:1.25 4:0\n+1 5:3.14159265358979\n",
    b"# heading\n1 1:1 2:1 3:1 # named 4:4\n\n2 2:.5 9:5.\r\n3\n",
    b"0.1 10:123456789012345678 11:1e22 12:1e23 13:4.35\n-0 1:-0.0",
    b"-1.0\t6:1  11:-0.731854 12:0.173431 13:0.0\x0b14:0.00027\x0c15:0.011684 \n1.0 1:2.2250738585072011e-308\n",
    b"1 1:0.1 2:0.2\n" * 12,
]
NUMBERS = [
    *b"nan -nan +inf Infinity infinity INF 1e400 -1e400 1e-400 4.9e-324 2.4703282292062327e-324 1e 1e+ .5 5. . +. -.e1".split(),
    *b"1_000 1e-_5 +_1 _1 1_ 1__0 1e1_0 1_0.0_1 0x10 0x1p3 +-1 --1 1d5 1f 1,5".split(),
    *b"1e99999999999 0e99999999999 00012 1L \xd9\xa1".split(),
    *b"9007199254740993 9007199254740993.0 9223372036854775808 18446744073709551615 18446744073709551616 1e308 1.8e308".split(),
    b"0." + b"0" * 400 + b"1e401",
    b"1" * 400,
    b"0." + b"3" * 400,
    b"9007199254740993" + b"0" * 30 + b"1e-31",
]
INDICES = [
    *b"0 -1 -0 +3 007 1_0 1__0 _1 1_ 2147483647 2147483648 4294967297 99999999999999999999 1.0 1e2 a".split(),
    b"",
]
WORDS = [
    b"qid:3",
    b"qid",
    b"qid:x",
    b"1:2:3",
    b":",
    b"::",
    b"#",
    b"1",
    b"1:",
    b":1",
    b"\x00",
    b"# \x00",
    b"3:1#x",
    b"\xef\xbb\xbf",
]
BYTES = b" \t\r\n\x0b\x0c\x00\x1c\x85\xa0\xff#:.,+-_eE0159naif"


def mutant(rng: np.random.Generator) -> bytes:
    """A seed with one or two changes."""
    text = SEEDS[rng.integers(len(SEEDS))]
    for _ in range(rng.integers(1, 3)):
        text = _change(rng, text)
    return text


def number(rng: np.random.Generator) -> bytes:
    """A decimal of any size, as different programs write them."""
    x = float(np.frombuffer(rng.bytes(8))[0]) if rng.integers(2) else float(rng.normal())
    form = ["{!r}", "{:.17g}", "{:.6g}", "{:.16e}", "{:.3f}", "{:+.19e}"][rng.integers(6)]
    return form.format(x).encode()


def _change(rng: np.random.Generator, text: bytes) -> bytes:
    at = int(rng.integers(len(text) + 1))
    byte = BYTES[rng.integers(len(BYTES)) :][:1]
    kind = rng.integers(12)
    if kind == 0:
        return text[:at] + byte + text[at:]
    if kind == 1:
        return text[:at] + byte + text[at + 1 :]
    if kind == 2:
        return text[:at] + text[at + 1 :]
    if kind == 3:
        return text[:at] + text[at : at + 12] + text[at:]
    if kind == 4:
        return text[:at] if rng.integers(2) else text[at:]
    if kind == 5:
        return text[:at] + bytes([rng.integers(256)]) + text[at + 1 :]
    if kind == 9:
        space = text.find(b" ", at)
        return text[:space] + [b" \t ", b"\r ", b" \x0b", b" # 1:2 "][rng.integers(4)] + text[space + 1 :]
    tokens = text.split(b" ")
    which = rng.integers(len(tokens))
    index, colon, value = tokens[which].partition(b":")
    if kind == 6:
        value = NUMBERS[rng.integers(len(NUMBERS))]
        tokens[which] = index + colon + value if colon else value
    elif kind >= 10 and colon:
        tokens[which] = index + colon + number(rng)
    elif kind == 7:
        tokens[which] = INDICES[rng.integers(len(INDICES))] + b":" + (value or b"1")
    else:
        tokens.insert(which, WORDS[rng.integers(len(WORDS))])
    return b" ".join(tokens)


def judge(path, text: bytes) -> str:
    """Reads a file both ways; what came of it ("same", "both refuse", "stricter") or an AssertionError."""
    path.write_bytes(text)
    oracle = theirs(text)
    strict, _ = (_judge(path, text, oracle, allow) for allow in (False, True))
    return strict


def theirs(text: bytes):
    """What scikit-learn reads, or None if it refuses."""
    try:
        return load_svmlight_file(io.BytesIO(text), zero_based=False)
    except (ValueError, OverflowError):
        return None


def _judge(path, text, oracle, allow_nonfinite) -> str:
    ours, error = attempt(lambda: read_svmlight(path, allow_nonfinite=allow_nonfinite))
    for size in (1, 50):
        parts, part_error = attempt(lambda size=size: list(blocks(path, size=size, allow_nonfinite=allow_nonfinite)))
        assert str(part_error) == str(error), (size, part_error, error)
        if ours is not None and parts:
            width = ours[0].shape[1]
            stacked = sp.vstack([sp.csr_matrix((X.data, X.indices, X.indptr), (X.shape[0], width)) for X, _ in parts])
            assert identical((stacked.tocsr(), np.concatenate([y for _, y in parts])), ours)
    if error is None:
        assert oracle is not None, "scikit-learn refuses what we took"
        assert identical(ours, oracle), "scikit-learn reads other numbers"
        return "same"
    lines = text.split(b"\n")
    assert 1 <= error.line <= len(lines)
    assert 1 <= error.column <= len(lines[error.line - 1]) + 1
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert theirs(b"\n".join(lines[: error.line - 1])) is not None, "an earlier line is wrong"
    if (here := theirs(b"\n".join(lines[: error.line]))) is None:
        return "both refuse"
    token = TOKEN.match(lines[error.line - 1], error.column - 1).group()
    if "not finite" in error.reason:
        assert not allow_nonfinite
        assert not all(math.isfinite(number) for number in (*here[0].data, *here[1]))
    elif b"_" in token:  # Cython's float takes 1e-_5, Python's does not
        with pytest.raises(ValueError, match="could not convert"):
            float(token)
    else:
        assert "query id" in error.reason, "we refuse what scikit-learn takes"
        assert token.startswith(b"qid")
    return "stricter"


def attempt(read):
    try:
        return read(), None
    except SvmlightError as error:
        return None, error


def identical(ours, theirs) -> bool:
    """Equal shapes and equal bits."""
    (X, y), (A, b) = ours, theirs
    same = X.shape == A.shape and np.array_equal(X.indptr, A.indptr) and np.array_equal(X.indices, A.indices)
    return same and X.data.tobytes() == A.data.tobytes() and y.tobytes() == b.tobytes()
