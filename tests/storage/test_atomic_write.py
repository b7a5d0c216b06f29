"""A file appears whole or not at all."""

import os
import stat

import pytest

from cesaro.storage.atomic_write import whole_file


def test_an_error_leaves_the_old_file_and_no_rest(tmp_path):
    target = tmp_path / "file"
    target.write_text("old")

    def interrupted():
        with whole_file(target) as file:
            file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_until_the_end_the_old_file_is_there(tmp_path):
    target = tmp_path / "file"
    target.write_text("old")
    with whole_file(target) as file:
        file.write(b"new")
        file.flush()
        assert target.read_text() == "old"
    assert target.read_text() == "new"


def test_permissions_stay_and_new_files_have_the_usual_ones(tmp_path):
    target, usual = tmp_path / "file", tmp_path / "usual"
    usual.write_text("")
    with whole_file(target):
        pass
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)
    target.chmod(0o640)
    with whole_file(target):
        pass
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_the_umask_is_left_alone_for_all_threads_share_it(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("two threads at once would lose the old one"))
    with whole_file(tmp_path / "file"):
        pass


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("file")
    with whole_file(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"
