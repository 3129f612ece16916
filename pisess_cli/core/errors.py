"""The errors that pisess reports in one line; everything that a user can cause is one of them."""


class PisessError(Exception):
    """A failure that is said as `pisess: <message>`, with a hint line where there is a next step.

    `exit_code` is 1: failed, or nothing found.
    """

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageFault(PisessError):
    """What was asked for makes no sense, whatever the files hold: exit code 2."""

    exit_code = 2


class NotASession(PisessError):
    """A file that does not begin with a session header; it is left as it is."""


class NotFound(PisessError):
    """A revision, a session or a label that names nothing."""


class UnknownName(NotFound):
    """What a revision begins with is neither an id nor a label, nor anything else that names an entry."""


class Ambiguous(PisessError):
    """A name that fits several things; the message lists them."""


class Refused(PisessError):
    """A write that the format or the state of the session forbids; nothing was written."""


def os_fault(error: OSError, path: object) -> PisessError:
    """What the system refused, in one line that names the file."""
    reason = (error.strerror or str(error)).lower()
    return PisessError(f"{reason} ({path})")
