import os
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import pytest

from builder import dumps, session
from pisess_cli.core.errors import PisessError
from pisess_cli.core.session import follow
from pisess_cli.core.session.appender import Appender
from pisess_cli.core.session.follow import follow_entries
from pisess_cli.core.session.session import Session


class Follower:
    """Someone who looks on. Between two looks comes what was put off till then."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = path
        self._later: list[Callable[[], object]] = []
        monkeypatch.setattr(follow, "time", SimpleNamespace(sleep=self._between))
        self._entries = follow_entries(Session(path))

    def _between(self, _: float) -> None:
        assert self._later, "waits for something that never comes"
        self._later.pop(0)()

    def sees(self, count: int) -> list[object]:
        return [entry.id for entry in islice(self._entries, count)]

    def add(self, text: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(text)

    def later(self, *steps: Callable[[], object]) -> None:
        self._later += steps


@pytest.fixture
def follower(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Follower:
    return Follower(session().user("hi").write(tmp_path), monkeypatch)


def line(entry_id: str) -> bytes:
    return dumps({"type": "message", "id": entry_id}).encode() + b"\n"


def test_what_is_added_is_seen_in_its_order(follower: Follower) -> None:
    follower.add(line("a") + line("b"))
    follower.later(lambda: follower.add(line("c")))

    assert follower.sees(3) == ["a", "b", "c"]


def test_one_waits_until_something_is_added(follower: Follower) -> None:
    follower.later(lambda: None, lambda: None, lambda: follower.add(line("a")))

    assert follower.sees(1) == ["a"]


def test_a_line_is_seen_once_it_is_whole(follower: Follower) -> None:
    whole = line("b")
    follower.add(line("a") + whole[:9])
    follower.later(lambda: follower.add(whole[9:-1]), lambda: follower.add(whole[-1:] + line("c")))

    assert follower.sees(3) == ["a", "b", "c"]


def test_bad_lines_and_headers_are_passed_over(follower: Follower) -> None:
    follower.add(b'nonsense\n\n{"type":"session","id":"x"}\n' + line("a"))

    assert follower.sees(1) == ["a"]


def test_what_pisess_appends_is_seen(follower: Follower) -> None:
    with Appender(follower.path) as appender:
        made = appender.append("custom", {"customType": "x"})

    assert follower.sees(1) == [made.id]


def test_a_file_that_was_replaced_is_followed_from_the_same_entry_on(follower: Follower, tmp_path: Path) -> None:
    def replace() -> None:
        other = tmp_path / "other"
        other.write_bytes(b"\n" * 500 + follower.path.read_bytes() + line("b"))
        other.replace(follower.path)

    follower.add(line("a"))
    follower.later(replace)

    assert follower.sees(2) == ["a", "b"]


def test_a_file_that_was_cut_is_followed_from_its_new_end_on(follower: Follower) -> None:
    header_size = len(follower.path.read_bytes().split(b"\n")[0]) + 1
    follower.add(line("a") + line("b"))
    follower.later(lambda: os.truncate(follower.path, header_size), lambda: follower.add(line("c")))

    assert follower.sees(3) == ["a", "b", "c"]


def test_a_file_that_goes_is_an_error(follower: Follower) -> None:
    follower.path.unlink()

    with pytest.raises(PisessError, match="no such file"):
        follower.sees(1)
