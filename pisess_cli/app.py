"""One run of pisess: what the global options say, and what follows from it, found out when it is asked for."""

import os
from functools import cached_property
from typing import TYPE_CHECKING

from pisess_cli.core.errors import PisessError, UsageFault
from pisess_cli.options import GlobalOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pisess_cli.core.session.revisions import Resolver
    from pisess_cli.core.session.session import Session
    from pisess_cli.core.store.directory import SessionDir
    from pisess_cli.core.store.listing import SessionInfo
    from pisess_cli.core.store.settings import Settings
    from pisess_cli.view.dates import DateFormat
    from pisess_cli.view.terminal import Terminal

_ALIAS_DEPTH = 10


class App:
    """What every command gets: the options, the terminal, and the way to the session it acts on."""

    def __init__(self, options: GlobalOptions) -> None:
        self.options = options
        self.environment = os.environ
        self._opened: dict[Path, Session] = {}

    @cached_property
    def terminal(self) -> "Terminal":
        """Where output goes."""
        from pisess_cli.view.terminal import Terminal

        options = self.options
        return Terminal(
            color=options.color or self._setting("color") or "auto",
            pager=self._setting("pager"),
            use_pager=not options.no_pager,
            quiet=options.quiet,
        )

    def _setting(self, key: str) -> str | None:
        try:
            found = self.settings.get(key)
        except PisessError:
            # Broken settings are told by what needs them; until then one has to be able to say so.
            return None
        return found.value if found else None

    @cached_property
    def cwd(self) -> "Path":
        """The directory that pisess acts in: `-C`, or where it was started. Raises `PisessError` if there is none."""
        from pathlib import Path

        start = self.options.directory or os.curdir
        try:
            # Symbolic links stay, so that the directory is the one that the user sees.
            found = Path(os.path.abspath(start))  # noqa: PTH100
            exists = found.is_dir()
        except (OSError, ValueError):
            exists = False
        if not exists:
            raise PisessError(f"no such directory ({start})")
        return found

    @cached_property
    def settings(self) -> "Settings":
        """What the configuration file says. Raises `PisessError` if it is broken."""
        from pisess_cli.core.store.settings import config_path, load_settings

        return load_settings(config_path())

    @cached_property
    def session_dir(self) -> "SessionDir":
        """Where sessions are looked for, and new ones go."""
        from pisess_cli.core.store.directory import resolve_session_dir

        return resolve_session_dir(self.options.session_dir, self.settings, self.environment, self.cwd)

    def find_session(self, selector: str | None) -> "Path":
        """The file that a selector names; without one that of `-s`, or the session that one is in (SPEC 2)."""
        from pisess_cli.core.store.selectors import default_session, find_session

        selector = self.options.session if selector is None else selector
        if selector is not None:
            return find_session(selector, self.session_dir.path, self.cwd, self._session_names)
        return default_session(self.session_dir.path, self.cwd, self.environment)

    def _session_names(self) -> "Iterable[tuple[Path, str]]":
        return ((info.path, info.name) for info in self.session_infos(self.session_files()) if info.name)

    def session_files(self) -> "list[Path]":
        """The files in the session directory that may be sessions."""
        from pisess_cli.core.store.directory import session_files

        return session_files(self.session_dir.path)

    def session_infos(self, paths: "Sequence[Path]") -> "list[SessionInfo]":
        """What one knows of the sessions among the files, the one that was used last first."""
        from pisess_cli.core.store.list_cache import open_cache
        from pisess_cli.core.store.listing import list_sessions

        with self.terminal.progress(len(paths), "reading sessions") as progress:
            return list_sessions(paths, open_cache(self.environment), progress.advance)

    def open(self, selector: str | None = None) -> "Session":
        """The session that a command acts on, or the one that the selector names."""
        from pisess_cli.core.session.session import Session

        path = self.find_session(selector)
        if path not in self._opened:
            self._opened[path] = Session(path)
        return self._opened[path]

    def resolver(self, session: "Session | None" = None) -> "Resolver":
        """What finds revisions in the session (the one that is acted on), and in others for `SESSION:REV`."""
        from pisess_cli.core.session.revisions import Resolver

        return Resolver(session, self.open)

    def refuse_inside_pi(self, session: "Session", *, force: bool) -> None:
        """Raises `Refused` where Pi itself is at work on the session, unless forced."""
        from pisess_cli.core.store.running_pi import refuse_to_move_leaf_of_pi

        if not force:
            refuse_to_move_leaf_of_pi(session.path, self.environment)

    def date_format(self, style: str | None, default: str) -> "DateFormat":
        """How dates are shown: as the option says, or the settings, or the default of the place.

        Where nobody has chosen, who reads a pipe gets the same words at any time (SPEC 10).
        """
        from pisess_cli.view.dates import date_format

        return date_format(style or self._setting("date") or (default if self.terminal.is_tty else "iso"))

    def expand_alias(self, words: list[str]) -> list[str]:
        """The words with an alias at their start replaced by what it stands for, as often as there is one."""
        import shlex

        for _ in range(_ALIAS_DEPTH):
            meaning = self.settings.aliases.get(words[0])
            if meaning is None:
                return words
            try:
                words = [*shlex.split(meaning), *words[1:]]
            except ValueError as error:
                raise PisessError(f"the alias cannot be read: {str(error).lower()} ({meaning})") from error
            if not words:
                raise PisessError("an alias stands for nothing")
        raise UsageFault(f"the alias leads back to itself ({words[0]})")

    def finish(self) -> None:
        """The end of a run that went well: says what was skipped, and sees to it that all output is written."""
        if "terminal" not in self.__dict__:
            # Nothing was written but click's own help.
            return
        self.terminal.flush()
        for warning in self.settings.warnings if "settings" in self.__dict__ else ():
            self.terminal.note(warning)
        for session in self._opened.values():
            for warning in session.warnings:
                self.terminal.note(f"{warning} ({session.path})")
