"""Where data sets are found, and that the listing says so."""

import pytest

from cesaro.data import CATALOGUE, fetch, listing
from cesaro.data.locations import cache


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))


def test_the_cache_is_where_the_environment_says(tmp_path):
    assert cache() == tmp_path / "caches" / "cesaro"


def test_the_listing_says_where_everything_is(tmp_path, monkeypatch):
    (tmp_path / "w8a.bz2").write_bytes(b"12345")
    monkeypatch.setenv("CESARO_DATA", str(tmp_path))
    lines = {line.name: line for line in listing()}
    assert list(lines) == list(CATALOGUE) == ["a9a", "w8a", "ijcnn1", "covtype", "cifar10", "cifar100"]
    assert lines["a9a"].where == "embedded"
    assert 200_000 < lines["a9a"].bytes < 250_000
    assert (lines["w8a"].where, lines["w8a"].bytes) == ("$CESARO_DATA", 5)
    assert (lines["covtype"].where, lines["covtype"].bytes) == ("not here", None)
    assert all(line.address.startswith("https://") and line.credit for line in lines.values())


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="no data set 'mnist': the catalogue has a9a, w8a"):
        fetch("mnist")
