"""Session files into the user's trash, from where they can be had back."""

import shlex
from pathlib import Path

from pisess_cli.core.errors import PisessError


def move_to_trash(path: Path) -> None:
    """Moves a file to the trash. Raises `PisessError` where there is none for its disk, or the system refuses."""
    from send2trash import TrashPermissionError, send2trash  # type: ignore[import-untyped]  # it has no types

    try:
        send2trash(path)
    except TrashPermissionError as error:
        raise PisessError(
            f"this disk has no trash that one may write to ({path})",
            hint=f"rm {shlex.quote(str(path))} deletes it for good",
        ) from error
    except OSError as error:
        # The library puts its own words, and the file, in the place of the system's.
        reason = (error.strerror or str(error)).removesuffix(f": {path}")
        raise PisessError(f"not moved to the trash: {reason[:1].lower()}{reason[1:]} ({path})") from error
