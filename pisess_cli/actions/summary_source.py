"""Where the text of a summary comes from: an option, a file, a command, or the editor."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from pisess_cli.app import App
from pisess_cli.core.errors import PisessError, UsageFault, os_fault


class SummaryOptions(NamedTuple):
    """What the summary options of a command were set to."""

    message: str | None
    message_file: str | None
    summarizer: str | None
    edit: bool
    instructions: str | None

    @property
    def given(self) -> bool:
        """Whether a summary is asked for at all."""
        return self.edit or any(part is not None for part in (self.message, self.message_file, self.summarizer))


class SummaryTask(NamedTuple):
    """What is to be summarised, for those who write it."""

    prompts: Callable[[str | None], Sequence[str]]
    """What a summarizer is asked, from the instructions: one text, or one for each part."""
    join: Callable[[Sequence[str]], str]
    """The summary, from the answers."""
    template: Callable[[], str]
    """What the editor opens on."""


def read_summary(app: App, given: SummaryOptions, task: SummaryTask) -> str:
    """The text of the summary; it may be empty. Raises `UsageFault` for two sources, `PisessError` if one fails."""
    sources = (given.message, given.message_file, given.summarizer, given.edit or None)
    if sum(source is not None for source in sources) > 1:
        raise UsageFault("only one of -m, -F, --summarizer and --edit makes the summary")
    if given.message is not None:
        return given.message
    if given.message_file is not None:
        return read_text(given.message_file)
    command = given.summarizer
    if command is None and not given.edit:
        configured = app.settings.get("summarizer")
        command = configured.value if configured else None
    if command is not None:
        return task.join([_ask(command, prompt) for prompt in task.prompts(given.instructions)])
    return edited_text(app, task.template())


def read_text(name: str) -> str:
    """The text of a file, `-` being stdin; bytes that are no UTF-8 are replaced. Raises `PisessError`."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise os_fault(error, name) from error
    except ValueError as error:
        raise PisessError(f"no such file ({name})") from error
    return data.decode("utf-8", "replace")


def _ask(command: str, prompt: str) -> str:
    # The command is the user's own and may use the shell; the session's text reaches it on stdin alone.
    asked = subprocess.run(  # noqa: S602
        command, shell=True, input=prompt.encode("utf-8", "replace"), stdout=subprocess.PIPE, check=False
    )
    if asked.returncode:
        raise PisessError(
            f"the summarizer failed with exit code {asked.returncode}, nothing was written ({command})",
            hint="what it said stands above",
        )
    return asked.stdout.decode("utf-8", "replace")


def edited_text(app: App, template: str) -> str:
    """What the user makes of the template in the editor, without what stands below the scissors line."""
    from pisess_cli.actions.editor import edit_text
    from pisess_cli.core.context.summary_prompts import read_template

    return read_template(edit_text(app, template, "SUMMARY.md"), template)
