"""Files appear whole or not at all, and never over another one."""

import errno
import os
import stat
from pathlib import Path
from unittest import mock

import pytest

from pisess_cli.core.errors import PisessError
from pisess_cli.core.storage import new_files
from pisess_cli.core.storage.new_files import beside, put_new

NO_HARD_LINKS = [errno.EPERM, errno.EOPNOTSUPP]


def test_a_file_beside_is_private_hidden_and_gone_afterwards(tmp_path: Path) -> None:
    with beside(tmp_path / "a.jsonl") as temporary:
        assert temporary.parent == tmp_path
        assert temporary.name.startswith(".")
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600

    assert list(tmp_path.iterdir()) == []


def test_a_file_beside_is_gone_when_it_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), beside(tmp_path / "a.jsonl"):
        raise ZeroDivisionError

    assert list(tmp_path.iterdir()) == []


def test_in_no_directory_there_is_nothing_beside(tmp_path: Path) -> None:
    with pytest.raises(PisessError, match="no such file"), beside(tmp_path / "gone" / "a.jsonl"):
        pass


@pytest.mark.parametrize("code", [None, *NO_HARD_LINKS])
def test_a_new_name_is_given_with_and_without_hard_links(tmp_path: Path, code: int | None) -> None:
    path = tmp_path / "a.jsonl"
    link = os.link if code is None else mock.Mock(side_effect=OSError(code, "no links here"))

    with mock.patch.object(new_files.os, "link", link), beside(path) as temporary:
        temporary.write_bytes(b"whole")
        put_new(temporary, path)

    assert path.read_bytes() == b"whole"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("code", [None, *NO_HARD_LINKS])
def test_a_name_that_is_taken_stays_whose_it_is(tmp_path: Path, code: int | None) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"old")
    link = os.link if code is None else mock.Mock(side_effect=OSError(code, "no links here"))

    with mock.patch.object(new_files.os, "link", link), beside(path) as temporary, pytest.raises(FileExistsError):
        put_new(temporary, path)

    assert path.read_bytes() == b"old"


def test_without_hard_links_a_failure_leaves_no_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    refused = OSError(errno.EIO, "broken")

    with (
        mock.patch.object(new_files.os, "link", side_effect=OSError(errno.EPERM, "no links here")),
        mock.patch.object(Path, "replace", side_effect=refused),
        beside(path) as temporary,
        pytest.raises(OSError, match="broken"),
    ):
        put_new(temporary, path)

    assert list(tmp_path.iterdir()) == []
