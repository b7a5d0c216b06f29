"""The cache of a file: parsed once, checked always, never half there."""

import errno
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from killed_children import HERE, kill_when
from rows_on_disk import classifier, data

from cesaro.linear.out_of_core import csr_store, readers

CHILD = """
import sys
sys.path.insert(0, sys.argv[3])
from cesaro.linear.out_of_core import readers
from rows_on_disk import read_slowly
read_slowly(seconds=0.05, text=1000)
readers.open_store(sys.argv[1], cache=sys.argv[2])
"""


def test_a_file_is_parsed_once(place, monkeypatch):
    path, cache, _, _ = place(*data())
    first = classifier().fit_file(path, cache=cache)
    monkeypatch.setattr(readers, "blocks", None)
    np.testing.assert_array_equal(first.coef_, classifier().fit_file(path, cache=cache).coef_)


def test_a_file_that_has_changed_is_parsed_again(place):
    X, y = data()
    path, cache, _, _ = place(X, y)
    first = readers.open_store(path, cache=cache)
    path, cache, Z, _ = place(2.0 * X, y)
    os.utime(path, ns=(1, 1))
    second = readers.open_store(path, cache=cache)
    assert second.digest != first.digest
    np.testing.assert_array_equal(second.data, Z.data)
    assert len([folder for folder in cache.iterdir() if folder.is_dir()]) == 1


@pytest.mark.parametrize("name", [*csr_store.NAMES, "about"])
@pytest.mark.parametrize("damage", ["cut", "flip", "gone"])
def test_a_damaged_cache_is_noticed_and_made_again(name, damage, place):
    path, cache, X, _ = place(*data())
    readers.open_store(path, cache=cache)
    (victim,) = cache.glob(f"*/{name}")
    content = victim.read_bytes()
    victim.unlink()
    if damage == "cut":
        victim.write_bytes(content[:-1])
    elif damage == "flip":
        victim.write_bytes(content[:100] + bytes([content[100] ^ 4]) + content[101:])
    again = readers.open_store(path, cache=cache)
    np.testing.assert_array_equal(again.data, X.data)
    assert victim.read_bytes() == content or name == "about"


def test_values_become_wide_only_from_where_they_must(place, monkeypatch):
    X, y = data(exact=True)
    X[-1, 0] = 0.1
    path, cache, Z, _ = place(X, y)
    monkeypatch.setattr(readers, "TEXT", 2000)
    monkeypatch.setattr(csr_store, "PIECE", 64)
    found = readers.open_store(path, cache=cache)
    assert found.data.dtype == np.float64
    np.testing.assert_array_equal(found.data, Z.data)
    np.testing.assert_array_equal(found.col, Z.indices)
    np.testing.assert_array_equal(found.ptr, Z.indptr)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_killed_while_parsing_it_leaves_nothing_that_is_believed(place):
    path, cache, X, _ = place(*data())
    child = subprocess.Popen([sys.executable, "-c", CHILD, path, cache, HERE])
    assert kill_when(child, lambda: any(file.stat().st_size for file in cache.glob(".*/y")), seconds=0.0)
    assert [folder.name[0] for folder in cache.iterdir()] == ["."]
    np.testing.assert_array_equal(readers.open_store(path, cache=cache).data, X.data)
    assert not list(cache.glob(".*")), "what the dead process had written is gone"


def test_a_file_of_the_same_size_and_time_but_other_content_is_parsed_again(place):
    X, y = data(exact=True)
    path, cache, _, _ = place(X, y)
    times, first = os.stat(path), readers.open_store(path, cache=cache)
    path.write_bytes(path.read_bytes().replace(b":1 ", b":2 "))  # the same inode
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (times.st_size, times.st_mtime_ns)
    assert readers.open_store(path, cache=cache).digest != first.digest


def test_even_where_no_time_tells_the_content_does(place, monkeypatch):
    path, cache, _, _ = place(*data(exact=True))
    identity = readers._identity
    monkeypatch.setattr(readers, "_identity", lambda path: identity(path) | {"times": [], "inode": 0})
    first = readers.open_store(path, cache=cache)
    path.write_bytes(path.read_bytes().replace(b":1 ", b":2 "))
    assert readers.open_store(path, cache=cache).digest != first.digest


def test_a_file_that_changes_while_it_is_read_is_an_error(place, monkeypatch):
    path, cache, _, _ = place(*data())
    parsed = readers.blocks

    def blocks(*args):
        yield from parsed(*args)
        with path.open("a") as file:
            file.write("1 1:1\n")

    monkeypatch.setattr(readers, "blocks", blocks)
    with pytest.raises(OSError, match="has changed while it was read"):
        readers.open_store(path, cache=cache)


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
@pytest.mark.parametrize(
    ("mode", "files", "folder"), [(0o600, 0o600, 0o700), (0o640, 0o640, 0o750), (0o444, 0o644, 0o755)]
)
def test_who_may_read_the_cache_is_who_may_read_the_file(mode, files, folder, place):
    path, cache, _, _ = place(*data())
    path.chmod(mode)
    readers.open_store(path, cache=cache)
    (store,) = cache.iterdir()
    assert stat.S_IMODE(store.stat().st_mode) == folder
    assert {stat.S_IMODE(file.stat().st_mode) for file in store.iterdir()} == {files}
    path.chmod(0o600)
    readers.open_store(path, cache=cache)
    assert {stat.S_IMODE(file.stat().st_mode) for file in store.iterdir()} == {0o600}


def test_a_full_disk_while_parsing_is_an_error_that_names_the_cache(place, monkeypatch):
    path, cache, _, _ = place(*data())

    def full(column, values):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(csr_store.Column, "append", full)
        with pytest.raises(OSError, match=r"No space left on device: '.*cache.*rows\.svm"):
            readers.open_store(path, cache=cache)
    assert not list(cache.iterdir())
    assert readers.open_store(path, cache=cache).n == 700


def test_threads_that_parse_the_same_file_at_once_do_not_disturb_each_other(place):
    path, cache, X, _ = place(*data())
    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(lambda _: readers.open_store(path, cache=cache), range(8)))
    for store in stores:
        np.testing.assert_array_equal(store.data, X.data)
    assert len(list(cache.iterdir())) == 1
