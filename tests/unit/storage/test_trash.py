from collections.abc import Callable
from pathlib import Path

import pytest
import send2trash

from pisess_cli.core.errors import PisessError, Refused
from pisess_cli.core.storage.trash import move_to_trash
from pisess_cli.core.store.running_pi import refuse_to_take_from_pi


def raising(error: OSError) -> Callable[[Path], None]:
    def send(_: Path) -> None:
        raise error

    return send


def test_where_there_is_no_trash_the_hint_is_the_command_that_deletes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "a b.jsonl"
    monkeypatch.setattr(send2trash, "send2trash", raising(send2trash.TrashPermissionError("/disk")))

    with pytest.raises(PisessError) as caught:
        move_to_trash(file)

    assert str(file) in caught.value.message
    assert caught.value.hint == f"rm '{file}' deletes it for good"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError("Couldn't find mount point for /a.jsonl"), "couldn't find mount point for /a.jsonl"),
        (OSError(13, "Permission denied: /a.jsonl"), "permission denied"),
        (OSError(28, "No space left on device"), "no space left on device"),
    ],
)
def test_what_the_system_refuses_is_one_line_that_names_the_file_once(
    monkeypatch: pytest.MonkeyPatch, error: OSError, reason: str
) -> None:
    monkeypatch.setattr(send2trash, "send2trash", raising(error))

    with pytest.raises(PisessError) as caught:
        move_to_trash(Path("/a.jsonl"))

    assert caught.value.message == f"not moved to the trash: {reason} (/a.jsonl)"


def test_only_the_session_that_pi_is_at_work_on_is_refused(tmp_path: Path) -> None:
    running, other, link = tmp_path / "running", tmp_path / "other", tmp_path / "link"
    link.symlink_to(running)
    environment = {"PI_SESSION_FILE": str(link)}

    refuse_to_take_from_pi(other, environment)
    refuse_to_take_from_pi(running, {})
    with pytest.raises(Refused):
        refuse_to_take_from_pi(running, environment)
