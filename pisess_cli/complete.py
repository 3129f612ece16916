"""`pisess __complete KIND PREFIX`: the values that a shell offers, found in the ends of files, without click.

Prints a line for each value: the value, a tab, and what it is. Whatever goes wrong prints nothing: the person is in
the middle of typing. `-s`, `--session-dir` and `-C` come before the kind, as they stood on the command line.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pisess_cli.core.format.entries import Entry
    from pisess_cli.core.session.session import Session
    from pisess_cli.core.store.list_cache import Cache
    from pisess_cli.core.store.settings import Settings

_OFFERED = 60
_NUMBERED_SESSIONS = 5
_SESSIONS_LOOKED_INTO = 10
_RECENT_BYTES = 640 * 1024
_NAME_BYTES = 128 * 1024
_WORDS = 60

Candidate: TypeAlias = tuple[str, str]
"""A value that can be typed, and what it is."""


class Place:
    """Where values are looked for: what the global options said so far."""

    def __init__(self, options: Mapping[str, str], environment: Mapping[str, str]) -> None:
        self._session = options.get("-s")
        self._session_dir = options.get("--session-dir")
        # The shell has not expanded what it hands on.
        self.cwd = Path(os.path.abspath(os.path.expanduser(options.get("-C") or os.curdir)))  # noqa: PTH100, PTH111
        self.environment = environment

    @cached_property
    def settings(self) -> "Settings":
        """What the configuration file says."""
        from pisess_cli.core.store.settings import config_path, load_settings

        return load_settings(config_path())

    @cached_property
    def session_dir(self) -> Path:
        """The session directory."""
        from pisess_cli.core.store.directory import resolve_session_dir

        return resolve_session_dir(self._session_dir, self.settings, self.environment, self.cwd).path

    def open(self, selector: str | None = None) -> "Session":
        """The session that the selector names, else that of `-s`, else the one that one is in (SPEC 2)."""
        from pisess_cli.core.session.session import Session
        from pisess_cli.core.store.selectors import default_session, find_session

        selector = selector or self._session
        if selector:
            return Session(find_session(selector, self.session_dir, self.cwd, self._names))
        return Session(default_session(self.session_dir, self.cwd, self.environment))

    def _names(self) -> Iterator[tuple[Path, str]]:
        from pisess_cli.core.store.directory import session_files
        from pisess_cli.core.store.list_cache import open_cache
        from pisess_cli.core.store.listing import list_sessions

        infos = list_sessions(session_files(self.session_dir), open_cache(self.environment))
        return ((info.path, info.name) for info in infos if info.name)


def main(words: Sequence[str]) -> int:
    """Prints what can stand where KIND is asked for and begins with PREFIX; returns 0, whatever happens."""
    try:
        lines = [f"{value}\t{about}\n" for value, about in candidates(words, os.environ)]
        sys.stdout.buffer.write("".join(lines).encode())
        sys.stdout.flush()
    except (Exception, KeyboardInterrupt):  # noqa: BLE001 - words of ours in the middle of a line help nobody
        return 0
    return 0


def candidates(words: Sequence[str], environment: Mapping[str, str]) -> list[Candidate]:
    """What `main` prints, in its order. Raises `PisessError`, and `ValueError` or `KeyError` for wrong words."""
    rest = list(words)
    options: dict[str, str] = {}
    while rest and rest[0].startswith("-"):
        option, value, *rest = rest
        options[option] = value
    kind, prefix = rest
    found = FINDERS[kind](Place(options, environment), prefix)
    fitting = ((value, _words(about)) for value, about in found if value.startswith(prefix))
    return list(islice(_once(fitting), _OFFERED))


def _once(found: Iterable[Candidate]) -> Iterator[Candidate]:
    # What a terminal would not show as it is cannot be typed either.
    seen: set[str] = set()
    for value, about in found:
        if value not in seen and value == _safe(value) and not value.startswith("-"):
            seen.add(value)
            yield value, about


def _words(about: str) -> str:
    shown = _safe(about[: _WORDS + 1])
    return shown if len(shown) <= _WORDS else f"{shown[: _WORDS - 1]}…"


def _safe(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    from pisess_cli.view.sanitize import safe

    return safe(text)


def revisions(place: Place, prefix: str) -> Iterator[Candidate]:
    """Labels, and entry ids with their first words; also behind `A..`, `SESSION:` and `REV^{` (SPEC 8)."""
    if prefix.startswith(":/"):
        return
    behind_range = 0 if prefix.startswith("label:") else prefix.rfind("..") + 2 if ".." in prefix else 0
    selector, colon, _ = prefix[behind_range:].partition(":")
    other = selector if colon and selector != "label" else None
    start = behind_range + (len(other) + 1 if other else 0)
    name, step, kind = prefix[start:].rpartition("^{")
    is_kind = step and _is_word(kind)
    found = _kinds(name + step) if is_kind else _names(place.open(other), prefix[start:])
    for value, about in found:
        yield prefix[:start] + value, about


def _is_word(text: str) -> bool:
    return all(character.isalnum() or character == "_" for character in text)


def _is_plain(name: str) -> bool:
    # Whether a name cannot be read as anything but a name.
    return _is_word(name.replace("-", "_").replace(".", "_")) and ".." not in name


def _kinds(ahead: str) -> Iterator[Candidate]:
    from pisess_cli.core.format.entries import ENTRY_TYPES, ROLES

    for kind in (*ROLES, *ENTRY_TYPES):
        yield f"{ahead}{kind}}}", "nearest at or above"


def _names(session: "Session", prefix: str) -> Iterator[Candidate]:
    if prefix.startswith("label:"):
        yield from ((f"label:{name}", about) for name, about in _labels(session))
        return
    if any(word.startswith(prefix) for word in ("HEAD", "LEAF", "ROOT")):
        head, leaf = session.head, session.leaf
        yield "HEAD", _about(head) if head else ""
        yield "LEAF", _about(leaf) if leaf else ""
        yield "ROOT", "before the first entry"
    yield from ((name, about) for name, about in _labels(session) if _is_plain(name))
    for entry in _recent(session):
        # Bookkeeping is named by its id, but hardly ever looked for.
        if isinstance(entry.id, str) and entry.id.startswith(prefix) and (entry.is_history or prefix):
            yield entry.id, _about(entry)


def labels(place: Place, _: str) -> Iterator[Candidate]:
    """The labels of the session, those that were set last first."""
    return _labels(place.open())


def _labels(session: "Session") -> Iterator[Candidate]:
    from pisess_cli.core.format.entries import Key, label_change, map_key

    met: dict[Key, Entry] = {}
    changed: dict[Key, str] = {}
    for entry in _recent(session):
        met.setdefault(map_key(entry.id), entry)
        if entry.type == "label":
            target, label = label_change(entry)
            changed.setdefault(target, label.text if label and isinstance(label.text, str) else "")
    for target, text in changed.items():
        if text:
            yield text, _about(met[target]) if target in met else ""


def _recent(session: "Session", limit: int = _RECENT_BYTES) -> Iterator["Entry"]:
    # The entries in the file's last part, the newest first, so that a large session answers as fast as a small one.
    size = 0
    for entry in session.newest_first():
        yield entry
        size += entry.size
        if size > limit:
            return


def _about(entry: "Entry") -> str:
    from pisess_cli.core.format.entry_text import subject

    kind = entry.role if isinstance(entry.role, str) else entry.type
    return f"{kind}: {subject(entry)}"


def sessions(place: Place, prefix: str) -> Iterator[Candidate]:
    """`@1`, `@2` and so on; then of the newest sessions, or of those that fit, the name, or the id if it has none."""
    from pisess_cli.core.store.directory import newest_first
    from pisess_cli.core.store.list_cache import open_cache

    records = open_cache(place.environment)
    known = cache(partial(_known, records))
    if not prefix or prefix.startswith("@"):
        for number, path in enumerate(_numbered(place), 1):
            if (found := known(path)) is not None:
                yield f"@{number}", found[1] or found[2]
    if prefix.startswith("@"):
        return
    files = newest_first(place.session_dir)
    newest = list(islice(files, _SESSIONS_LOOKED_INTO))
    older = (path for path in files if _may_fit(records, path, prefix)) if prefix else ()
    for path in chain(newest, older):
        session_id, name, about = known(path) or ("", None, "")
        if name and name.startswith(prefix) and "/" not in name and not name.startswith("@"):
            yield name, about
        elif session_id:
            yield session_id, name or about


def _numbered(place: Place) -> list[Path]:
    from pisess_cli.core.storage.session_file import read_header
    from pisess_cli.core.store.directory import newest_first
    from pisess_cli.core.store.selectors import recent_sessions

    here = recent_sessions(place.session_dir, place.cwd, _NUMBERED_SESSIONS)
    return here or list(islice(filter(read_header, newest_first(place.session_dir)), _NUMBERED_SESSIONS))


def _known(records: "Cache | None", path: Path) -> tuple[str, str | None, str] | None:
    # A session's id, its name, and what else tells it apart; None for what is no session.
    # From the cache, if the file is still as it was then; else from its header and its last part.
    from pisess_cli.core.errors import PisessError
    from pisess_cli.core.format.entries import session_name
    from pisess_cli.core.session.session import Session
    from pisess_cli.core.storage.cache_file import FileState

    record = records.get(path) if records else None
    try:
        if record and record.state == FileState.of(path.stat()):
            overview = record.overview
            return overview.id, overview.name, overview.first_message or overview.cwd
        session = Session(path)
        info = next((entry for entry in _recent(session, _NAME_BYTES) if entry.type == "session_info"), None)
    except (OSError, PisessError):
        return None
    header = session.header
    about = f"{(header.text('timestamp') or '')[:16].replace('T', ' ')} {header.cwd or ''}"
    return header.id, session_name(info) if info else None, about


def _may_fit(records: "Cache | None", path: Path, prefix: str) -> bool:
    record = records.get(path) if records else None
    known = (record.overview.id, record.overview.name or "") if record else (path.stem.rpartition("_")[2],)
    return any(text.startswith(prefix) for text in known)


def models(place: Place, _: str) -> Iterator[Candidate]:
    """The models of the newest answers in the session."""
    for entry in _recent(place.open()):
        if entry.role == "assistant":
            message = entry.message
            yield f"{message.get('provider')}/{message.get('model')}", ""


def tools(place: Place, _: str) -> Iterator[Candidate]:
    """The tools of the newest results in the session."""
    return ((str(entry.message.get("toolName")), "") for entry in _recent(place.open()) if entry.role == "toolResult")


def keys(place: Place, _: str) -> Iterator[Candidate]:
    """The settings, and the aliases that there are."""
    from pisess_cli.core.store.settings import KEYS

    yield from ((name, key.about) for name, key in KEYS.items())
    yield from ((f"alias.{name}", meaning) for name, meaning in place.settings.aliases.items())


def aliases(place: Place, _: str) -> Iterator[Candidate]:
    """The aliases, which stand where commands do."""
    return iter(place.settings.aliases.items())


FINDERS: Mapping[str, Callable[[Place, str], Iterator[Candidate]]] = {
    "rev": revisions,
    "label": labels,
    "session": sessions,
    "model": models,
    "tool": tools,
    "key": keys,
    "alias": aliases,
}
"""What finds the values of each kind; those that do not begin with the prefix are left out later."""
