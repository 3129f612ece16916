import json
from pathlib import Path
from typing import Any

import pytest

from running import Pisess, unchanged


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def folder(pisess: Pisess) -> Path:
    """Where Pi keeps the project's sessions."""
    (pisess.home / ".pi" / "agent" / "sessions").mkdir(parents=True)
    return pisess.home / ".pi" / "agent" / "sessions" / f"--{str(pisess.project)[1:].replace('/', '-')}--"


def test_the_message_begins_a_session_of_this_directory(pisess: Pisess, folder: Path) -> None:
    path = Path(pisess.ok("new", "-m", "Port the parser.").line)

    header, message = lines_of(path)
    assert list(header) == ["type", "version", "id", "timestamp", "cwd"]
    assert (header["version"], header["cwd"]) == (3, str(pisess.project))
    assert path.parent == folder
    assert path.name.endswith(f"_{header['id']}.jsonl")
    assert list(message) == ["type", "id", "parentId", "timestamp", "message"]
    assert message["parentId"] is None
    assert list(message["message"]) == ["role", "content", "timestamp"]
    assert message["message"]["role"] == "user"
    assert message["message"]["content"] == [{"type": "text", "text": "Port the parser."}]


def test_it_is_the_session_that_the_next_command_acts_on(pisess: Pisess, folder: Path) -> None:
    pisess.ok("new", "-m", "Port the parser.")

    assert pisess.ok("show", "--raw").line == "Port the parser."


def test_it_is_private(pisess: Pisess, folder: Path) -> None:
    path = Path(pisess.ok("new", "-m", "hi").line)

    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_it_gets_the_id_and_the_name_that_are_given_and_ends_in_the_message(pisess: Pisess, folder: Path) -> None:
    path = Path(pisess.ok("new", "-m", "hi", "--id", "my-id", "--name", "first\nsteps").line)

    header, name, message = lines_of(path)
    assert header["id"] == "my-id"
    assert (name["type"], name["name"], name["parentId"]) == ("session_info", "first steps", None)
    assert (message["type"], message["parentId"]) == ("message", name["id"])


@pytest.mark.parametrize("option", ["--to", "--cwd"])
def test_it_can_be_of_another_directory(pisess: Pisess, folder: Path, option: str) -> None:
    other = pisess.home / "other"
    other.mkdir()

    path = Path(pisess.ok("new", "-m", "hi", option, "../other").line)

    assert lines_of(path)[0]["cwd"] == str(other)
    assert path.parent.name.endswith("-other--")


def test_a_directory_that_is_not_there_is_refused(pisess: Pisess, folder: Path) -> None:
    with unchanged(pisess.home):
        assert "no such directory" in pisess.fail("new", "-m", "hi", "--to", "nowhere")


def test_the_message_comes_from_a_file_or_stdin_without_its_last_line_end(pisess: Pisess, folder: Path) -> None:
    file = pisess.home / "task.md"
    file.write_text("# Task\n\nPort it.\n")

    from_file = Path(pisess.ok("new", "-F", file).line)
    from_stdin = Path(pisess.ok("new", "-F", "-", stdin=b"two\nlines\n").line)

    assert lines_of(from_file)[1]["message"]["content"][0]["text"] == "# Task\n\nPort it."
    assert lines_of(from_stdin)[1]["message"]["content"][0]["text"] == "two\nlines"


def test_the_message_comes_from_the_editor(pisess: Pisess, folder: Path) -> None:
    path = Path(pisess.ok("new", env={"EDITOR": "sed -i '1s/^/from the editor/'"}).line)

    assert lines_of(path)[1]["message"]["content"][0]["text"] == "from the editor"


def test_an_editor_that_is_left_as_it_was_aborts(pisess: Pisess, folder: Path) -> None:
    assert "the message is empty" in pisess.fail("new", env={"EDITOR": "true"})

    assert not folder.exists()


@pytest.mark.parametrize("message", ["", " \n\t"])
def test_an_empty_message_aborts(pisess: Pisess, folder: Path, message: str) -> None:
    with unchanged(pisess.home):
        assert "the message is empty" in pisess.fail("new", "-m", message)


def test_json_describes_the_session(pisess: Pisess, folder: Path) -> None:
    described = json.loads(pisess.ok("new", "-m", "hi", "--id", "my-id", "--name", "first", "--json").line)

    assert described.pop("path").endswith("_my-id.jsonl")
    assert described == {"id": "my-id", "cwd": str(pisess.project), "name": "first"}


@pytest.mark.parametrize("args", [("-m", "a", "-F", "b"), ("-m", "a", "--id", "../x")])
def test_what_makes_no_sense_is_a_wrong_usage(pisess: Pisess, folder: Path, args: tuple[str, ...]) -> None:
    with unchanged(pisess.home):
        pisess.fail("new", *args, code=2)
