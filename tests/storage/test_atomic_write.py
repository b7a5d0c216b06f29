"""A file appears whole or not at all."""

import errno
import os
import signal
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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize("through", ["the pipe", "a link"])
def test_what_is_no_regular_file_is_refused_and_stays(through, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    with pytest.raises(FileExistsError, match=r"this is a pipe.*name a regular file"):
        whole_file(tmp_path / ("pipe" if through == "the pipe" else "link")).__enter__()
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe"]


@pytest.mark.skipif(not hasattr(os, "mknod") or os.geteuid() != 0, reason="only root makes devices")
def test_so_is_a_device(tmp_path):
    try:
        os.mknod(tmp_path / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("this root may not make devices")
    with pytest.raises(FileExistsError, match="this is a device"):
        whole_file(tmp_path / "null").__enter__()
    assert stat.S_ISCHR((tmp_path / "null").stat().st_mode)


def test_a_folder_is_refused_before_anything_is_written(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileExistsError, match="this is a folder"):
        whole_file(tmp_path / "folder").__enter__()


def test_a_full_disk_is_an_error_that_names_the_path_and_leaves_the_old_file(tmp_path):
    resource = pytest.importorskip("resource", reason="needs limits of a process")
    (tmp_path / "file").write_text("old")
    if (child := os.fork()) == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            with whole_file(tmp_path / "file") as file:
                file.write(bytes(10**6))
        except OSError as error:
            os._exit(0 if error.filename == str(tmp_path / "file") and error.errno == errno.EFBIG else 3)
        os._exit(4)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (tmp_path / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]
