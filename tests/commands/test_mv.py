import json
from pathlib import Path

import pytest

from builder import session, talk
from running import Pisess, unchanged


@pytest.fixture
def other(pisess: Pisess) -> Path:
    """Where the project is now."""
    directory = pisess.home / "other"
    directory.mkdir()
    return directory


@pytest.fixture
def in_pis_folder(pisess: Pisess) -> Path:
    """A session of the project, in the folder that Pi keeps the project's sessions in."""
    (pisess.home / ".pi" / "agent" / "sessions").mkdir(parents=True)
    return Path(pisess.ok("new", "-m", "hi", "--id", "moving").line)


def cwd_of(path: Path) -> str:
    return str(json.loads(path.read_text().split("\n", 1)[0])["cwd"])


def test_the_session_becomes_one_of_the_new_directory(pisess: Pisess, in_pis_folder: Path, other: Path) -> None:
    path = Path(pisess.ok("mv", "moving", "--to", "../other").line)

    assert not in_pis_folder.exists()
    assert path.name == in_pis_folder.name
    assert path.parent.name.endswith("-home-other--")
    assert cwd_of(path) == str(other)
    assert pisess.ok("show", "--raw", cwd=other).line == "hi"


def test_without_a_name_it_is_the_session_of_this_directory(pisess: Pisess, in_pis_folder: Path, other: Path) -> None:
    assert cwd_of(Path(pisess.ok("mv", "--to", other).line)) == str(other)


def test_in_a_flat_directory_the_file_stays(pisess: Pisess, other: Path) -> None:
    path = pisess.use(talk())

    assert pisess.ok("mv", "--to", other).line == str(path)

    assert cwd_of(path) == str(other)


def test_a_dry_run_prints_the_new_path_and_changes_nothing(pisess: Pisess, in_pis_folder: Path, other: Path) -> None:
    with unchanged(pisess.home):
        result = pisess.ok("mv", "--to", other, "--dry-run")

    assert result.line.endswith(f"-home-other--/{in_pis_folder.name}")
    assert f"from {pisess.project} to {other}" in result.err


def test_a_session_that_is_there_already_is_left_alone(pisess: Pisess, in_pis_folder: Path) -> None:
    with unchanged(pisess.home):
        result = pisess.ok("mv", "--to", ".")

    assert result.line == str(in_pis_folder)
    assert "there already" in result.err


def test_forks_that_name_the_old_file_are_mentioned_and_left_alone(
    pisess: Pisess, in_pis_folder: Path, other: Path
) -> None:
    fork = Path(pisess.ok("fork", "moving", "--id", "fork").line)
    before = fork.read_bytes()

    told = pisess.ok("mv", "moving", "--to", other).err

    assert str(fork) in told
    assert fork.read_bytes() == before


def test_inside_pi_the_session_that_it_is_at_work_on_stays(pisess: Pisess, in_pis_folder: Path, other: Path) -> None:
    with unchanged(pisess.home):
        told = pisess.fail("mv", "--to", other, env={"PI_SESSION_FILE": str(in_pis_folder)})

    assert "Pi is at work on this session" in told
    assert "-f" not in told


def test_a_directory_that_is_not_there_is_refused(pisess: Pisess, in_pis_folder: Path) -> None:
    with unchanged(pisess.home):
        assert "no such directory" in pisess.fail("mv", "--to", "nowhere")


def test_where_to_has_to_be_said(pisess: Pisess, in_pis_folder: Path) -> None:
    assert "--to" in pisess.fail("mv", code=2)


def test_a_file_that_is_no_session_is_left_alone(pisess: Pisess, other: Path) -> None:
    file = pisess.home / "x.jsonl"
    file.write_text("{}\n")

    with unchanged(pisess.home):
        assert "not a session" in pisess.fail("mv", file, "--to", other)


def test_what_a_header_holds_is_not_obeyed(pisess: Pisess, other: Path) -> None:
    pisess.use(session(cwd="/\x1b[31m/../../etc"))

    assert "␛[31m" in pisess.ok("mv", "--to", other, "--dry-run").err
