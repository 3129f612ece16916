import json
import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pisess_cli.core.errors import Ambiguous, NotFound
from pisess_cli.core.format.entries import Header
from pisess_cli.core.store import selectors
from pisess_cli.core.store.selectors import default_session, find_session, recent_sessions


class Sessions:
    """A session directory, filled in verbs; what is added later is newer."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.names: dict[Path, str] = {}
        self.names_asked = 0
        self._clock = 1_000

    def add(
        self,
        session_id: str,
        cwd: Path | str | None,
        *,
        folder: str = "",
        file: str | None = None,
        name: str | None = None,
    ) -> Path:
        header = {"type": "session", "version": 3, "id": session_id, "timestamp": "2026-01-02T03:04:05.678Z"}
        if cwd is not None:
            header["cwd"] = str(cwd)
        path = self.write(
            f"{folder}/{file or f'2026-01-02T03-04-05-678Z_{session_id}.jsonl'}", json.dumps(header) + "\n"
        )
        if name is not None:
            self.names[path] = name
        return path

    def write(self, file: str, text: str) -> Path:
        path = self.root / file.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self._clock += 1
        os.utime(path, (self._clock, self._clock))
        return path

    def find(self, text: str, cwd: Path) -> Path:
        return find_session(text, self.root, cwd, self._names)

    def _names(self) -> Iterable[tuple[Path, str]]:
        self.names_asked += 1
        return self.names.items()


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    return Sessions(tmp_path / "sessions")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    directory.mkdir()
    return directory


# The default.


def test_the_most_recently_modified_session_of_the_directory_is_the_default(sessions: Sessions, project: Path) -> None:
    sessions.add("a", project)
    newest = sessions.add("b", project)
    sessions.add("c", "/elsewhere")

    assert default_session(sessions.root, project, {}) == newest


def test_the_header_decides_whose_session_it_is_not_the_folder(sessions: Sessions, project: Path) -> None:
    mine = sessions.add("a", project, folder="--foreign--")
    sessions.add("b", "/x/y", folder="--x-y--")
    sessions.add("c", "/x-y", folder="--x-y--")

    assert default_session(sessions.root, project, {}) == mine
    assert default_session(sessions.root, Path("/x/y"), {}).name.endswith("_b.jsonl")


def test_files_that_are_no_sessions_do_not_count(sessions: Sessions, project: Path) -> None:
    session = sessions.add("a", project)
    sessions.write("empty.jsonl", "")
    sessions.write("text.jsonl", "not json\n")
    sessions.write("array.jsonl", "[]\n")
    sessions.write("entry.jsonl", json.dumps({"type": "message", "id": "x", "cwd": str(project)}))

    assert default_session(sessions.root, project, {}) == session


@pytest.mark.parametrize("cwd", [None, "", ".", "project", "/a\0b", "/\udcff\ud800"])
def test_a_header_that_names_no_certain_directory_is_nobodys(
    sessions: Sessions, project: Path, cwd: str | None
) -> None:
    sessions.add("a", cwd)

    assert recent_sessions(sessions.root, project, 5) == []


def test_a_header_whose_directory_is_no_text_is_nobodys(sessions: Sessions, project: Path) -> None:
    sessions.write("x.jsonl", '{"type":"session","id":"x","cwd":["/"]}\n')

    assert recent_sessions(sessions.root, project, 5) == []


def test_links_and_trailing_slashes_do_not_make_another_directory(
    sessions: Sessions, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to("project")
    through_link = sessions.add("a", tmp_path / "link")
    with_slash = sessions.add("b", f"{project}/")

    assert recent_sessions(sessions.root, project, 5) == [with_slash, through_link]
    assert recent_sessions(sessions.root, tmp_path / "link", 5) == [with_slash, through_link]


def test_a_directory_that_is_gone_still_has_its_sessions(sessions: Sessions) -> None:
    session = sessions.add("a", "/nowhere/at/all")

    assert default_session(sessions.root, Path("/nowhere/at/all"), {}) == session


def test_without_a_session_of_its_own_the_nearest_parent_that_has_one_counts(sessions: Sessions, project: Path) -> None:
    near = sessions.add("a", project)
    sessions.add("b", project.parent)
    below = project / "src" / "deep"
    below.mkdir(parents=True)

    assert default_session(sessions.root, below, {}) == near


def test_an_older_session_of_its_own_is_before_a_newer_one_of_a_parent(sessions: Sessions, project: Path) -> None:
    own = sessions.add("a", project)
    sessions.add("b", project.parent)

    assert default_session(sessions.root, project, {}) == own


def test_sessions_of_directories_below_do_not_count(sessions: Sessions, project: Path) -> None:
    sessions.add("a", project / "src")

    with pytest.raises(NotFound) as caught:
        default_session(sessions.root, project, {})

    assert str(project) in caught.value.message
    assert str(sessions.root) in str(caught.value.hint)


def test_no_more_headers_are_read_than_it_takes(
    sessions: Sessions, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        sessions.add(f"s{number}", project)
    sessions.add("other", "/elsewhere")
    read: list[Path] = []

    def counting(path: Path) -> Header | None:
        read.append(path)
        return read_header(path)

    read_header = selectors.read_header
    monkeypatch.setattr(selectors, "read_header", counting)

    default_session(sessions.root, project, {})

    assert len(read) == 2


def test_inside_pi_its_own_session_is_the_default(sessions: Sessions, project: Path) -> None:
    sessions.add("a", project)
    of_pi = sessions.add("b", "/elsewhere")

    assert default_session(sessions.root, project, {"PI_SESSION_FILE": str(of_pi)}) == of_pi


def test_a_session_of_pi_that_is_missing_is_an_error_that_names_the_variable(sessions: Sessions, project: Path) -> None:
    sessions.add("a", project)

    with pytest.raises(NotFound) as caught:
        default_session(sessions.root, project, {"PI_SESSION_FILE": "/gone.jsonl"})

    assert "/gone.jsonl" in caught.value.message
    assert "PI_SESSION_FILE" in str(caught.value.hint)


def test_an_empty_variable_of_pi_is_none(sessions: Sessions, project: Path) -> None:
    session = sessions.add("a", project)

    assert default_session(sessions.root, project, {"PI_SESSION_FILE": ""}) == session


# By path.


@pytest.mark.parametrize(
    "text", ["x.jsonl", "./x.jsonl", "../project/x.jsonl", "{project}/x.jsonl", "file://{project}/x.jsonl"]
)
def test_a_path_is_seen_from_the_working_directory(sessions: Sessions, project: Path, text: str) -> None:
    (project / "x.jsonl").touch()

    assert sessions.find(text.format(project=project), project) == project / "x.jsonl"


def test_a_path_in_the_home_directory_is_found(
    sessions: Sessions, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project))
    (project / "x").touch()

    assert sessions.find("~/x", Path("/")) == project / "x"


def test_a_file_of_any_name_is_found(sessions: Sessions, project: Path) -> None:
    (project / "saved").touch()

    assert sessions.find("saved", project) == project / "saved"


def test_a_directory_is_a_path_only_when_it_is_written_as_one(sessions: Sessions, project: Path) -> None:
    (project / "docs").mkdir()
    session = sessions.add("a", "/x", name="docs")

    assert sessions.find("docs", project) == session
    assert sessions.find("./docs", project) == project / "docs"


@pytest.mark.parametrize("text", ["gone.jsonl", "gone/x", "/gone", "./" + "x" * 300])
def test_a_path_to_nothing_is_an_error_that_names_it(sessions: Sessions, project: Path, text: str) -> None:
    sessions.add("a", project)

    with pytest.raises(NotFound, match="no such file") as caught:
        sessions.find(text, project)

    assert text in caught.value.message


# By id.


def test_an_id_is_found_in_every_directory_without_asking_for_names(sessions: Sessions, project: Path) -> None:
    session = sessions.add("0190aaaa-0001", "/elsewhere", folder="--elsewhere--")
    sessions.add("0190aaaa-0002", project)

    assert sessions.find("0190aaaa-0001", project) == session
    assert sessions.names_asked == 0


def test_the_start_of_one_id_only_is_enough(sessions: Sessions, project: Path) -> None:
    session = sessions.add("0190aaaa-0001", project)
    sessions.add("0190bbbb-0001", project)

    assert sessions.find("0190a", project) == session
    assert sessions.names_asked == 0


def test_a_whole_id_is_before_a_longer_one_that_begins_so(sessions: Sessions, project: Path) -> None:
    session = sessions.add("ab", project)
    sessions.add("abc", project)

    assert sessions.find("ab", project) == session


def test_the_headers_id_counts_not_the_files_name(sessions: Sessions, project: Path) -> None:
    renamed = sessions.add("abc", project, file="renamed.jsonl")
    sessions.add("zzz", project, file="2026_abc.jsonl")

    assert sessions.find("abc", project) == renamed


def test_the_start_of_several_ids_fails_and_lists_ids_and_names(sessions: Sessions, project: Path) -> None:
    sessions.add("0190a", project, name="first\none")
    plain = sessions.add("0190b", project)
    sessions.add("0200c", project)

    with pytest.raises(Ambiguous) as caught:
        sessions.find("0190", project)

    assert caught.value.message.split("\n") == [
        "0190 is the start of several ids:",
        "  0190a  first one",
        f"  0190b  {plain}",
    ]


def test_ten_candidates_are_listed_and_the_others_counted(sessions: Sessions, project: Path) -> None:
    for number in range(13):
        sessions.add(f"ab{number:02}", project)

    with pytest.raises(Ambiguous) as caught:
        sessions.find("ab", project)

    lines = caught.value.message.split("\n")
    assert len(lines) == 12
    assert lines[-1] == "  and 3 more"


def test_two_files_with_one_id_are_told_apart_by_their_paths(sessions: Sessions, project: Path) -> None:
    first = sessions.add("abc", project, folder="a", name="same")
    second = sessions.add("abc", project, folder="b", name="same")

    with pytest.raises(Ambiguous) as caught:
        sessions.find("abc", project)

    assert str(first) in caught.value.message
    assert str(second) in caught.value.message


# By name.


@pytest.mark.parametrize("name", ["fix login", "feature/login", "@home", "日本", "notes.jsonl"])
def test_a_name_is_found_when_no_path_and_no_id_fits(sessions: Sessions, project: Path, name: str) -> None:
    sessions.add("a", project, name="other")
    session = sessions.add("b", "/elsewhere", name=name)

    assert sessions.find(name, project) == session


def test_a_name_is_before_the_start_of_several_ids(sessions: Sessions, project: Path) -> None:
    sessions.add("cafe1", project)
    sessions.add("cafe2", project)
    session = sessions.add("x", project, name="cafe")

    assert sessions.find("cafe", project) == session


def test_a_name_of_several_sessions_fails_and_lists_them(sessions: Sessions, project: Path) -> None:
    for session_id in ("one", "two"):
        sessions.add(session_id, project, name="fix")

    with pytest.raises(Ambiguous) as caught:
        sessions.find("fix", project)

    assert "one" in caught.value.message
    assert "two" in caught.value.message


@pytest.mark.parametrize(("text", "meant"), [("fix logn", "fix login"), ("0190aaab", "0190aaaa")])
def test_what_names_nothing_is_an_error_that_proposes_what_is_like_it(
    sessions: Sessions, project: Path, text: str, meant: str
) -> None:
    sessions.add("0190aaaa", project)
    sessions.add("zzz", project, name="fix login")

    with pytest.raises(NotFound) as caught:
        sessions.find(text, project)

    assert text in caught.value.message
    assert caught.value.hint == f"did you mean {meant}?"


@pytest.mark.parametrize("text", ["", "zzzz", "@0", "@", "@-1", "@1x", "x" * 300, "*"])
def test_what_is_like_nothing_is_an_error(sessions: Sessions, project: Path, text: str) -> None:
    sessions.add("0190aaaa", project)

    with pytest.raises(NotFound):
        sessions.find(text, project)


# By age.


def test_the_nth_most_recent_is_counted_in_the_working_directory(sessions: Sessions, project: Path) -> None:
    second = sessions.add("a", project)
    sessions.add("b", "/elsewhere")
    first = sessions.add("c", project)

    assert [sessions.find(text, project) for text in ("@1", "@2")] == [first, second]


def test_the_most_recent_is_the_default_session(sessions: Sessions, project: Path) -> None:
    sessions.add("a", project)
    sessions.add("b", project.parent)

    assert sessions.find("@1", project / "src") == default_session(sessions.root, project / "src", {})


def test_where_no_directory_above_has_sessions_those_of_all_are_counted(sessions: Sessions, project: Path) -> None:
    second = sessions.add("a", "/x")
    first = sessions.add("b", None)
    sessions.write("broken.jsonl", "[]\n")

    assert [sessions.find(text, project) for text in ("@1", "@2")] == [first, second]


def test_counting_beyond_the_oldest_is_an_error_that_names_it(sessions: Sessions, project: Path) -> None:
    sessions.add("a", project)
    sessions.add("b", project)

    with pytest.raises(NotFound) as caught:
        sessions.find("@3", project)

    assert "@3" in caught.value.message
    assert caught.value.hint == "the oldest one here is @2"


def test_counting_where_there_are_none_says_where_they_were_looked_for(sessions: Sessions, project: Path) -> None:
    with pytest.raises(NotFound) as caught:
        sessions.find("@1", project)

    assert str(sessions.root) in str(caught.value.hint)


def test_looking_changes_nothing(sessions: Sessions, project: Path) -> None:
    session = sessions.add("a", project, name="n")
    before = (session.read_bytes(), session.stat().st_mtime_ns, sorted(sessions.root.iterdir()))

    for text in ("a", "n", "@1", str(session)):
        sessions.find(text, project)
    default_session(sessions.root, project, {})

    assert (session.read_bytes(), session.stat().st_mtime_ns, sorted(sessions.root.iterdir())) == before


# Of any directory.

IDS = st.from_regex("[0-3a]{1,6}", fullmatch=True)


@given(st.sets(IDS, min_size=1, max_size=8))
def test_every_id_and_every_start_of_one_alone_comes_back(ids: set[str]) -> None:
    with TemporaryDirectory() as scratch:
        sessions = Sessions(Path(scratch))
        files = {session_id: sessions.add(session_id, "/x") for session_id in sorted(ids)}

        for session_id, file in files.items():
            assert sessions.find(session_id, Path("/x")) == file
            for length in range(1, len(session_id)):
                start = session_id[:length]
                if start not in ids and sum(other.startswith(start) for other in ids) == 1:
                    assert sessions.find(start, Path("/x")) == file


@given(st.lists(st.sampled_from(["/", "/a", "/a/b", "/a-b", "/c"]), max_size=8), st.sampled_from(["/", "/a", "/a/b/d"]))
def test_the_default_is_the_newest_of_the_nearest_directory(cwds: list[str], here: str) -> None:
    with TemporaryDirectory() as scratch:
        sessions = Sessions(Path(scratch))
        files = [(cwd, sessions.add(f"s{number}", cwd)) for number, cwd in enumerate(cwds)]
        nearest = max((cwd for cwd in cwds if Path(cwd) in (Path(here), *Path(here).parents)), key=len, default=None)

        expected = [file for cwd, file in reversed(files) if cwd == nearest]

        assert recent_sessions(sessions.root, Path(here), len(cwds)) == expected
