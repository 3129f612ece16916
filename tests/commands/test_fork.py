import json
import stat
from pathlib import Path
from typing import Any

import pytest

from builder import SESSION_ID, SessionBuilder, session, talk
from running import Pisess, unchanged


@pytest.fixture
def project(pisess: Pisess) -> Path:
    """The project of the sessions that are forked: their cwd, which has to exist."""
    pisess.env["PISESS_SESSION_DIR"] = str(pisess.home / "sessions")
    return pisess.project


def saying(project: Path, *words: str) -> SessionBuilder:
    s = session(cwd=str(project))
    for word in words:
        s.user(word)
    return s


def read(path: str | Path) -> tuple[dict[str, Any], list[bytes]]:
    """The header and the other lines of a session file."""
    header, *lines = Path(path).read_bytes().split(b"\n")
    return json.loads(header), lines


def texts(pisess: Pisess, path: str) -> list[str]:
    return pisess.ok("-s", path, "log", "--reverse", "--format", "%s").lines


# Whole.


def test_a_fork_has_all_lines_of_its_source_and_its_path_is_printed(pisess: Pisess, project: Path) -> None:
    s = talk().raw("{torn").torn()
    s.header["cwd"] = str(project)
    source = pisess.use(s)

    printed = pisess.ok("fork").line

    header, lines = read(printed)
    assert lines == read(source)[1]
    assert header["parentSession"] == str(source)
    assert header["cwd"] == str(project)
    assert header["version"] == 3
    assert header["id"] != SESSION_ID


def test_the_source_stays_as_it_is(pisess: Pisess, project: Path) -> None:
    source = pisess.use(saying(project, "hi").without_final_newline())
    before = source.stat().st_mtime_ns, source.read_bytes()

    pisess.ok("fork")

    assert (source.stat().st_mtime_ns, source.read_bytes()) == before


def test_a_new_file_is_named_as_pi_names_it_and_private(pisess: Pisess, project: Path) -> None:
    pisess.use(saying(project, "hi"))

    path = Path(pisess.ok("fork").line)

    header, _ = read(path)
    stamp = header["timestamp"].replace(":", "-").replace(".", "-")
    assert path.name == f"{stamp}_{header['id']}.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_fork_goes_into_the_folder_of_its_project(pisess: Pisess) -> None:
    pisess.env["PI_CODING_AGENT_DIR"] = str(pisess.home / "agent")
    target = pisess.home / "other" / "app"
    target.mkdir(parents=True)
    pisess.use(saying(pisess.project, "hi"))

    path = Path(pisess.ok("fork", "--to", target).line)

    assert path.parent == pisess.home / "agent" / "sessions" / f"--{str(target)[1:].replace('/', '-')}--"
    assert read(path)[0]["cwd"] == str(target)


def test_a_relative_target_is_seen_from_where_one_is(pisess: Pisess, project: Path) -> None:
    (pisess.home / "other").mkdir()
    pisess.use(saying(project, "hi"))

    assert read(pisess.ok("fork", "--to", "../other").line)[0]["cwd"] == str(pisess.home / "other")
    assert read(pisess.ok("-C", pisess.home, "fork", "--to", "other").line)[0]["cwd"] == str(pisess.home / "other")


def test_a_target_that_is_not_there_is_told(pisess: Pisess, project: Path) -> None:
    pisess.use(saying(project, "hi"))

    result = pisess.ok("fork", "--to", "gone")

    assert "no such directory" in result.err
    assert read(result.line)[0]["cwd"] == str(project / "gone")


def test_another_session_can_be_forked_by_its_name(pisess: Pisess, project: Path) -> None:
    pisess.use(saying(project, "here"))
    other = saying(project, "there").write(pisess.home / "other.jsonl")

    assert texts(pisess, pisess.ok("fork", other).line) == ["there"]


@pytest.mark.parametrize("version", [1, 2])
def test_a_fork_of_an_old_file_is_current(pisess: Pisess, project: Path, version: int) -> None:
    s = session(cwd=str(project)).message("custom", "a note").user("hi").version(version)
    source = pisess.use(s)
    before = source.stat().st_mtime_ns, source.read_bytes()
    shown = pisess.ok("log", "--json").out

    path = pisess.ok("fork").line

    assert (source.stat().st_mtime_ns, source.read_bytes()) == before
    assert read(path)[0]["version"] == 3
    assert pisess.ok("-s", path, "log", "--json").out == shown


# A path.


def test_at_an_entry_only_the_path_to_it_is_taken_with_its_labels(pisess: Pisess, project: Path) -> None:
    s = session(cwd=str(project)).user("a").label("one").user("b").branch_at("a").user("c").user("d")
    pisess.use(s)

    path = pisess.ok("fork", "--at", s.id("c")).line

    assert texts(pisess, path) == ["a", "c"]
    assert [json.loads(line)["label"] for line in pisess.ok("-s", path, "label", "--json").lines] == ["one"]


def test_the_model_sees_of_a_path_what_it_saw_before(pisess: Pisess, project: Path) -> None:
    s = session(cwd=str(project)).user("a").label("x").user("b").omit("a")
    s.compact("sum", firstKeptEntryId=s.values[1]["id"]).user("c")
    pisess.use(s)
    seen = pisess.ok("show-context", "--llm", s.id("c")).out

    path = pisess.ok("fork", "--at", "HEAD").line

    assert pisess.ok("-s", path, "show-context", "--llm").out == seen


@pytest.mark.parametrize("revision", ["ROOT", "unknown", "HEAD~99"])
def test_where_there_is_no_entry_there_is_no_fork(pisess: Pisess, project: Path, revision: str) -> None:
    pisess.use(saying(project, "hi"))

    with unchanged(pisess.home):
        assert revision in pisess.fail("fork", "--at", revision)


@pytest.mark.parametrize("dry_run", [(), ("--dry-run",)])
def test_a_path_without_a_conversation_is_refused(pisess: Pisess, project: Path, dry_run: tuple[str, ...]) -> None:
    pisess.use(session(cwd=str(project)).system("Be brief.").user("hi"))

    with unchanged(pisess.home):
        assert "no user or assistant message" in pisess.fail("fork", "--at", "HEAD^{system}", *dry_run)


# Id, name, form.


def test_the_id_can_be_given(pisess: Pisess, project: Path) -> None:
    pisess.use(saying(project, "hi"))

    path = pisess.ok("fork", "--id", "my.own-id").line

    assert path.endswith("_my.own-id.jsonl")
    assert read(path)[0]["id"] == "my.own-id"


@pytest.mark.parametrize("session_id", ["../../evil", "", "-a", "a-", "a/b", "é", "a\n", "a b"])
def test_an_id_that_pi_would_not_take_is_refused(pisess: Pisess, project: Path, session_id: str) -> None:
    pisess.use(saying(project, "hi"))

    with unchanged(pisess.home):
        assert "not an id" in pisess.fail("fork", f"--id={session_id}", code=2)


def test_the_id_of_the_source_becomes_no_path(pisess: Pisess, project: Path) -> None:
    pisess.use(session("../../escape", cwd=str(project)).user("hi"))

    path = Path(pisess.ok("fork").line)

    assert path.parent == pisess.home / "sessions"
    assert "escape" not in path.name


def test_a_fork_can_have_a_name(pisess: Pisess, project: Path) -> None:
    pisess.use(saying(project, "hi"))

    path = pisess.ok("fork", "--name", " second\ntry ").line

    last = json.loads(read(path)[1][-2])
    assert (last["type"], last["name"]) == ("session_info", "second try")


def test_a_fork_as_json(pisess: Pisess, project: Path) -> None:
    source = pisess.use(saying(project, "hi"))

    made = json.loads(pisess.ok("fork", "--json", "--name", " a\ntry ", "--id", "new").line)

    assert list(made) == ["path", "id", "cwd", "parentSession", "name"]
    assert (made["id"], made["cwd"], made["parentSession"], made["name"]) == ("new", str(project), str(source), "a try")
    assert Path(made["path"]).exists()


def test_a_dry_run_writes_nothing(pisess: Pisess, project: Path) -> None:
    pisess.use(saying(project, "hi"))

    with unchanged(pisess.home):
        result = pisess.ok("fork", "--dry-run")

    assert result.out == ""
    assert str(pisess.home / "sessions") in result.err
    assert not (pisess.home / "sessions").exists()


def test_a_dry_run_as_json_is_the_fork_that_would_be_made(pisess: Pisess, project: Path) -> None:
    source = pisess.use(saying(project, "hi"))

    with unchanged(pisess.home):
        planned = json.loads(pisess.ok("fork", "--dry-run", "--json", "--name", " a\ntry ", "--id", "new").line)

    assert list(planned) == ["path", "id", "cwd", "parentSession", "name"]
    assert list(planned.values())[1:] == ["new", str(project), str(source), "a try"]
    assert not Path(planned["path"]).exists()


def test_a_directory_that_cannot_be_made_is_an_error(pisess: Pisess, project: Path) -> None:
    pisess.use(saying(project, "hi"))
    (pisess.home / "sessions").write_text("a file is in the way\n")

    with unchanged(pisess.home):
        pisess.fail("fork")
