"""cesaro data: what is there, and what cannot be had."""

import pytest

from cesaro.data import CATALOGUE


@pytest.mark.parametrize("words", [("data",), ("data", "list")])
def test_the_catalogue_is_listed(words, cesaro):
    ended = cesaro(*words)
    assert ended.code == 0
    assert all(name in ended.out for name in CATALOGUE)
    for order in ((*words, "--json"), (words[0], "--json", *words[1:])):
        sets = cesaro(*order).json["sets"]
        assert [each["name"] for each in sets] == list(CATALOGUE)
        assert sets[0]["where"] == "embedded"


def test_what_ships_with_the_package_is_there_and_checked(cesaro):
    answer = cesaro("data", "fetch", "a9a", "--json").json
    assert answer["downloaded"] is False
    assert "a9a" in answer["path"]


def test_an_unknown_name_is_an_error_that_lists_the_names(cesaro):
    ended = cesaro("data", "fetch", "mnist")
    assert ended.code == 2
    assert "covtype" in ended.err


def test_data_that_cannot_be_reached_end_with_a_hint(cesaro, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("CESARO_DATA", raising=False)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for words in (("data", "fetch", "w8a"), ("fit", "w8a")):
        ended = cesaro(*words)
        assert ended.code == 2
        assert "could not be downloaded" in ended.err
        assert ended.err.rstrip().splitlines()[-1].startswith("hint: ")
        assert ended.out == ""
