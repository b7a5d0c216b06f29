"""Svmlight files are read as scikit-learn reads them, or refused with the place and the reason."""

import bz2
import gzip
import io
import lzma
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from data.mutants import SEEDS, identical, judge, mutant
from numba import config
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from cesaro.data import SvmlightError, load, read_svmlight, streams
from cesaro.data.svmlight.reader import blocks


def written(path, text):
    path.write_bytes(text)
    return path


@pytest.mark.parametrize("part", range(4))
def test_two_thousand_mutated_files_are_read_as_scikit_learn_reads_them_or_refused(part, tmp_path):
    rng = np.random.default_rng(part)
    verdicts = [judge(tmp_path / "file", mutant(rng)) for _ in range(500)]
    assert verdicts.count("same") > 100
    assert verdicts.count("both refuse") > 100
    assert verdicts.count("stricter") > 0


@pytest.mark.parametrize(
    "text",
    [
        *SEEDS,
        b"",
        b"\n\n",
        b"# only a comment",
        b"1",
        b"1\n2\n3",
        b"1 5:1",
        b"+1 +1:+.5\r\n",
        b"1_0 1_0:1_0.5e1_0",
        b"1 2147483647:1",
    ],
)
def test_valid_files_are_equal_to_scikit_learns(text, tmp_path):
    assert judge(tmp_path / "file", text) == "same"


def test_what_scikit_learn_writes_comes_back_to_the_bit(tmp_path):
    rng = np.random.default_rng(0)
    X = sp.random_array((200, 50), density=0.2, rng=rng, format="csr")
    X.data = rng.standard_normal(X.nnz) * 10.0 ** rng.integers(-300, 300, X.nnz)
    y = rng.standard_normal(200)
    dump_svmlight_file(X, y, str(tmp_path / "file"), zero_based=False, comment="made here")
    oracle = load_svmlight_file(str(tmp_path / "file"), zero_based=False, n_features=50)
    assert identical(read_svmlight(tmp_path / "file", n_features=50), oracle)


@pytest.mark.parametrize("press", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
def test_compression_is_told_from_the_content_and_its_damage_is_an_error(press, tmp_path):
    text = b"".join(b"%d 1:%d 3:0.%d\n" % (i % 2, i, i) for i in range(3000))
    plain = read_svmlight(written(tmp_path / "plain", text))
    pressed = press(text)
    assert identical(read_svmlight(written(tmp_path / "any_name", pressed)), plain)
    altered = bytearray(pressed)
    altered[len(pressed) // 2] ^= 255
    for damaged in (pressed[:-9], pressed[: len(pressed) // 2], bytes(altered)):
        with pytest.raises(SvmlightError, match=r"cut off or damaged|column"):
            read_svmlight(written(tmp_path / "any_name", damaged))


@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        (b"1 1:x", 5, "expected a value after the colon, .* got 'x'"),
        (b"1 1:", 5, "got ''"),
        (b"1 2:1 1:1.2.3", 7, "not larger than the one before"),
        (b"1 1:1.2.3", 5, r"got '1\.2\.3'"),
        (b"1 2:1  2:1", 8, "not larger than the one before it. Sort the row and merge duplicates"),
        (b"1 0:1", 3, "indices start at 1. If the whole file counts from 0, add 1"),
        (b"1 -2:1", 3, "negative index in '-2:1'"),
        (b"1 2147483648:1", 3, r"beyond 2\^31 - 1. Hash"),
        (b"1 1:nan", 5, "'nan' is not finite. Clean the data; cesaro.data.read_svmlight takes it with"),
        (b"-inf 1:1", 1, "'-inf' is not finite"),
        (b"1 1:1e999", 5, "'1e999' is not finite"),
        (b"1 qid:7 1:1", 3, "query id 'qid:7': ranking data are not supported. Remove"),
        (b"one 1:1", 1, "expected a label, a number .* got 'one'"),
        (b"1:1 2:1", 1, "A row starts with its label"),
        (b"1,2 2:1", 1, "Several labels a row are not supported"),
        (b"1 3", 3, "without a colon"),
        (b"1 a:1", 3, "with a whole number as index, got 'a:1'"),
        (b"1 1.5:1", 3, "with a whole number as index"),
        (b"1 1:\xff\x00", 5, r"'\\xff\\x00'"),
        (b"1 9:1", 3, "beyond n_features = 8"),
    ],
)
def test_what_is_wrong_is_said_with_line_and_column(line, column, reason, tmp_path):
    """Line 1003 of the file, far behind the first block; the lines before it are fine and some are empty."""
    text = b"# top\n\n" + b"1 1:0.5 8:1\r\n" * 1000 + line + b"\n1 0:0\n"
    path = written(tmp_path / "file", text)
    for read in (lambda: read_svmlight(path, n_features=8), lambda: list(blocks(path, n_features=8, size=1000))):
        with pytest.raises(SvmlightError, match=reason) as caught:
            read()
        if "n_features" not in reason or line == b"1 9:1":
            assert (caught.value.line, caught.value.column) == (1003, column)
        assert str(caught.value).startswith(f"{path}, line 1003, column {column}: ")


def test_numbers_that_are_not_finite_are_taken_if_allowed(tmp_path):
    X, y = read_svmlight(written(tmp_path / "file", b"nan 1:-inf 2:1e999\n"), allow_nonfinite=True)
    assert np.isnan(y[0])
    assert X.data.tolist() == [-np.inf, np.inf]


def test_columns_can_be_given_and_are_checked(tmp_path):
    path = written(tmp_path / "file", b"1 3:1\n")
    assert read_svmlight(path, n_features=7)[0].shape == (1, 7)
    for wrong in (0, -1, 2**31):
        with pytest.raises(ValueError, match="n_features must be between 1 and 2"):
            read_svmlight(path, n_features=wrong)


def test_blocks_have_the_rows_in_order_and_progress_ends_at_the_end(tmp_path):
    text = b"".join(b"%d %d:1\n" % (i, 1 + i % 9) for i in range(500))
    path = written(tmp_path / "file", text)
    seen = []
    parts = list(blocks(path, size=700, n_features=9, progress=lambda done, total: seen.append((done, total))))
    assert len(parts) > 5
    assert np.array_equal(np.concatenate([y for _, y in parts]), np.arange(500.0))
    assert identical((sp.vstack([X for X, _ in parts], format="csr"), np.arange(500.0)), read_svmlight(path))
    assert seen[-1] == (len(text), len(text))
    assert sorted(seen) == seen


def test_a_line_longer_than_a_block_is_one_row(tmp_path):
    text = b"1" + b"".join(b" %d:0.5" % i for i in range(1, 3000)) + b"\n" + 20 * b"2 1:1 2:1\n"
    (X, y), *others = blocks(written(tmp_path / "file", text), size=100)
    assert X[0].nnz == 2999
    assert len(y) + sum(len(y) for _, y in others) == 21
    assert len(others) > 0


def peak(work):
    tracemalloc.start()
    try:
        result = work()
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


MEGABYTES = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="megabytes of text are too many without the compiler")


@MEGABYTES
def test_a_line_that_does_not_end_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "LONGEST_LINE", 10_000)
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(b"1 1:1\n1 2:1\n-1 1:1" + b" " * 10**7))
    with pytest.raises(
        SvmlightError, match=r"file\.gz, line 3: the line has more than 10000 bytes\. A line is one row"
    ):
        list(blocks(path, size=1000))
    tracemalloc.start()
    with pytest.raises(SvmlightError):
        list(blocks(path, size=1000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * 10**6


@MEGABYTES
def test_memory_holds_one_block_or_the_result_never_the_text(tmp_path):
    path = written(tmp_path / "file", b"1 1:0.12345 2:0.54321 3:1 4:1 5:1 6:1\n" * 120_000)
    list(blocks(path, size=1000))  # compile first
    block, _ = peak(lambda: max(X.nnz for X, _ in blocks(path, size=1 << 16)))
    assert block < 1 << 20
    whole, (X, y) = peak(lambda: read_svmlight(path))
    result = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes + y.nbytes
    assert whole < 1.13 * result + 8 * (1 << 20)
    assert result > 9e6


def test_a_file_is_a_data_set_without_a_test_part(tmp_path):
    mine = load(written(tmp_path / "mine.svm", b"1 1:2\n"))
    assert (mine.name, mine.X.shape, mine.X_test, mine.test_note) == (
        "mine.svm",
        (1, 1),
        None,
        "none: one file was given",
    )


def test_the_oracle_is_really_asked():
    """judge compares with scikit-learn: a reader that loses a bit is noticed."""
    X, y = load_svmlight_file(io.BytesIO(SEEDS[0]), zero_based=False)
    other = X.copy()
    other.data[0] = np.nextafter(other.data[0], 1.0)
    assert not identical((other, y), (X, y))
