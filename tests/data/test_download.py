"""Downloads, from a real server on this machine: what is verified enters the cache, nothing else does."""

import bz2
import hashlib
import io
import lzma
import os
import signal
import subprocess
import sys
import tarfile

import numpy as np
import pytest
from data.served import serving

from cesaro.data import CATALOGUE, Archive, DataError, Entry, SvmlightFile, fetch, locate
from cesaro.data.loaders import load_entry
from cesaro.data.locations import cache

TEXT = b"".join(b"%d 1:%d 3:0.5\n" % (i % 2, i) for i in range(5000))
SHA256 = hashlib.sha256(TEXT).hexdigest()
FILES = {
    "few.bz2": bz2.compress(TEXT),
    "other.bz2": bz2.compress(TEXT + b"1 1:1\n"),
    "few": TEXT,
    "junk.bz2": b"BZh9 no",
}


@pytest.fixture(autouse=True)
def own_locations(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("CESARO_DATA", raising=False)


@pytest.fixture
def server():
    with serving(FILES) as (address, server):
        server.address = address
        yield server


def few(address, md5=None):
    return Entry("few", (SvmlightFile("few", address, (SHA256,), md5),), "few rows", "nobody", columns=3)


def cached():
    return sorted(path.name for path in cache().rglob("*")) if cache().exists() else []


def test_a_download_is_read_and_the_next_time_found(server):
    entry = few(f"{server.address}/right/few.bz2")
    assert locate(entry) is None
    data = load_entry(entry, progress=False)
    assert data.X.shape == (5000, 3)
    assert locate(entry) == fetch(entry) == cache() / "few.bz2"
    assert np.array_equal(load_entry(entry).X.data, data.X.data)
    assert server.asked == ["/right/few.bz2"]
    assert cached() == ["few.bz2"]


def test_the_bar_goes_to_stderr(server, capsys):
    fetch(few(f"{server.address}/right/few.bz2"))
    out, err = capsys.readouterr()
    assert out == ""
    assert "few" in err
    assert "100" in err or "kB" in err


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("cut/few.bz2", "could not be downloaded .*Nothing was kept. Check the network"),
        ("missing/few.bz2", "could not be downloaded .*404"),
        ("right/other.bz2", f"is not the published file: .*expected {SHA256}.*Nothing was kept"),
        ("right/junk.bz2", "is not the published file: .*cannot be decompressed"),
    ],
)
def test_what_goes_wrong_is_one_error_and_leaves_nothing(path, reason, server):
    with pytest.raises(DataError, match=reason) as caught:
        fetch(few(f"{server.address}/{path}"), progress=False)
    assert "CESARO_DATA" in str(caught.value)
    assert cached() == []


def test_a_server_that_is_not_there_is_one_error_and_leaves_nothing():
    with serving({}) as (address, _):
        pass
    with pytest.raises(DataError, match="could not be downloaded"):
        load_entry(few(f"{address}/right/few.bz2"), progress=False)
    assert cached() == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send SIGINT to one process")
def test_an_interrupt_midway_leaves_nothing(server):
    file = f"SvmlightFile('few', '{server.address}/stuck/few.bz2', ('',))"
    code = f"from cesaro.data import *; fetch(Entry('few', ({file},), '', ''))"
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)
    assert server.halfway.wait(60)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode != 0
    assert b"KeyboardInterrupt" in err
    assert cached() == []


def test_a_cache_that_cannot_be_written_is_one_error(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(DataError, match=r"could not be stored in .* set XDG_CACHE_HOME"):
        fetch(few(f"{server.address}/right/few.bz2"), progress=False)


@pytest.mark.parametrize("damage", [TEXT[:-20], TEXT.replace(b"0.5", b"0.6", 1), TEXT[:40], lzma.compress(TEXT)[:-9]])
def test_a_damaged_file_is_noticed_when_read_and_replaced_when_fetched(damage, server):
    entry = few(f"{server.address}/right/few.bz2")
    cache().mkdir(parents=True)
    (cache() / "few").write_bytes(damage)
    with pytest.raises(DataError, match=r"few is not the published file: .*Delete it to have http.*downloaded"):
        load_entry(entry, progress=False)
    assert fetch(entry, progress=False) == cache() / "few.bz2"
    assert cached() == ["few.bz2"]


def test_a_damaged_file_of_ones_own_is_an_error_and_stays(server, tmp_path, monkeypatch):
    monkeypatch.setenv("CESARO_DATA", str(tmp_path))
    (tmp_path / "few.xz").write_bytes(lzma.compress(TEXT[:-1000]))
    for read in (fetch, load_entry):
        with pytest.raises(DataError, match=r"few\.xz is not the published file"):
            read(few(f"{server.address}/right/few.bz2"))
    assert (tmp_path / "few.xz").exists()
    assert server.asked == []


@pytest.mark.parametrize("name", ["few", "few.xz", "few.bz2", "few.gz", "libsvm/few.xz"])
def test_ones_own_folder_comes_before_the_cache_in_any_compression(name, server, tmp_path, monkeypatch):
    monkeypatch.setenv("CESARO_DATA", str(tmp_path))
    (tmp_path / "libsvm").mkdir()
    (tmp_path / name).write_bytes(TEXT if name == "few" else lzma.compress(TEXT))
    entry = few(f"{server.address}/right/few.bz2")
    assert locate(entry) == tmp_path / name
    assert load_entry(entry).y.sum() == 2500
    assert server.asked == []


def test_a_folder_that_does_not_exist_is_an_error_not_a_download(server, tmp_path, monkeypatch):
    monkeypatch.setenv("CESARO_DATA", str(tmp_path / "no"))
    with pytest.raises(DataError, match=r"CESARO_DATA is '.*no', which is not a folder"):
        fetch(few(f"{server.address}/right/few.bz2"))
    assert locate("a9a").name == "a9a.xz"


def test_a_file_as_served_may_be_known_by_its_md5_only(server):
    md5 = hashlib.md5(FILES["other.bz2"]).hexdigest()
    assert fetch(few(f"{server.address}/right/other.bz2", md5), progress=False).name == "other.bz2"
    with pytest.raises(DataError, match="not the published file"):
        fetch(few(f"{server.address}/right/junk.bz2", md5), progress=False)


def images(address, md5):
    return Entry("images", (Archive("images-bin", address, md5, ("a.bin", "b.bin")),), "", "")


def packed(**members):
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w:gz") as archive:
        for name, body in {"images-bin/../../outside": b"x", **members}.items():
            info = tarfile.TarInfo(name)
            info.size = len(body)
            archive.addfile(info, io.BytesIO(body))
    return memory.getvalue()


def test_an_archive_is_unpacked_as_a_whole_and_only_what_is_known(tmp_path):
    body = packed(**{"images-bin/a.bin": b"AA", "images-bin/b.bin": b"BBB", "images-bin/readme": b"no"})
    with serving({"images.tar.gz": body}) as (address, server):
        entry = images(f"{address}/right/images.tar.gz", hashlib.md5(body).hexdigest())
        for _ in range(2):
            place = fetch(entry, progress=False)
        assert len(server.asked) == 1
        assert [(place / name).read_bytes() for name in ("a.bin", "b.bin")] == [b"AA", b"BBB"]
        assert cached() == ["a.bin", "b.bin", "images-bin"]
        wrong = images(f"{address}/right/images.tar.gz", "0" * 32)
        (place / "a.bin").unlink()
        with pytest.raises(DataError, match="expected 00000"):
            fetch(wrong, progress=False)
        assert cached() == ["b.bin", "images-bin"]
        assert fetch(entry, progress=False) == place
    assert not (tmp_path / "outside").exists()


@pytest.mark.skipif(not os.environ.get("CESARO_ONLINE"), reason="downloads only if CESARO_ONLINE is set")
@pytest.mark.parametrize("name", CATALOGUE)
def test_the_official_pages_still_serve_what_the_catalogue_expects(name):
    assert fetch(name).exists()
