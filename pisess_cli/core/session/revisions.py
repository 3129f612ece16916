"""From the text of a revision to the entry it names, as Git's gitrevisions do (SPEC 8)."""

import re
import warnings
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from pisess_cli.core.errors import Ambiguous, NotFound, UnknownName, UsageFault
from pisess_cli.core.format.entries import ENTRY_TYPES, ROLES, Entry
from pisess_cli.core.format.entry_text import entry_text, subject
from pisess_cli.core.session.reflog import moves
from pisess_cli.core.session.session import Session

SHORTEST_PREFIX = 4
_CANDIDATES_SHOWN = 10
_KEYWORDS = ("HEAD", "@", "LEAF", "ROOT", "-")


class Point(NamedTuple):
    """A place in a session: an entry, or None for the place before the first one."""

    session: Session
    entry: Entry | None


class Range(NamedTuple):
    """What `A..B` or `A...B` names: two points of one session, and whether both sides count."""

    session: Session
    start: Entry | None
    end: Entry | None
    symmetric: bool


class _Step(NamedTuple):
    # What stands behind a name: "~" with a number, "kind" with a role or type, "match" with a pattern.
    kind: str
    argument: str


_PATTERN_STEP = r"\^\{/(?P<match>.*?)\}(?=[~^]|\.\.|\Z)"
_STEP = rf"~(?P<up>[0-9]*)|{_PATTERN_STEP}|\^\{{(?P<kind>[^{{}}/]*)\}}|\^(?P<parent>[0-9]*)"
# Two or three dots that are not part of a pattern or of a file's name (`../x.jsonl:HEAD`).
_RANGE = rf"(?!:/|\.\.\.?/)(?P<start>(?>{_PATTERN_STEP}|.)*?)(?<![./])(?P<dots>\.\.\.?)(?!\.)(?P<end>.*)"
_FAR_AWAY = 10**9


def _sides(text: str) -> re.Match[str] | None:
    # What stands before and behind the dots of a range.
    return re.fullmatch(_RANGE, text, re.DOTALL) if ".." in text else None


def _split_session(text: str) -> tuple[str | None, str]:
    # The session before the colon of `SESSION:REV`, None where the revision is one of this session.
    selector, colon, rest = text.partition(":")
    if not colon or selector in ("", "label") or "{/" in selector or _sides(selector):
        return None, text
    return selector, rest


def _count(digits: str) -> int:
    return int(digits) if len(digits) < 10 else _FAR_AWAY


def _read_steps(text: str, start: int) -> list[_Step] | None:
    # The steps that begin there; None if what stands there are no steps.
    position, steps = start, list[_Step]()
    step = re.compile(_STEP, re.DOTALL)
    while position < len(text):
        found = step.match(text, position)
        if not found:
            return None
        position = found.end()
        if found["up"] is not None:
            steps.append(_Step("~", found["up"] or "1"))
        elif found["parent"] is not None:
            steps.append(_Step("^", found["parent"] or "1"))
        elif found["match"] is not None:
            steps.append(_Step("match", found["match"]))
        else:
            steps.append(_Step("kind", found["kind"]))
    return steps


def compile_pattern(pattern: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """The compiled pattern. Raises `UsageFault` if it is no regular expression."""
    try:
        with warnings.catch_warnings():
            # What may mean something else in a later Python is no news for whoever types a pattern.
            warnings.simplefilter("ignore")
            return re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageFault(f"not a regular expression: {error} ({pattern})") from error


class Resolver:
    """Finds what revisions name in a session; `open_session` opens another one for `SESSION:REV`.

    Without a session, `open_session(None)` gives the one that is meant, once a revision needs it.
    """

    def __init__(self, session: Session | None, open_session: Callable[[str | None], Session]) -> None:
        self._open_session = open_session
        if session is not None:
            self.session = session

    @cached_property
    def session(self) -> Session:
        """The session that revisions are of which do not name one."""
        return self._open_session(None)

    def range(self, text: str) -> Range | None:
        """What `A..B` or `A...B` names, an empty side being HEAD; None if the text is no range.

        A session before the first side is that of both: `SESSION:A..B`.
        """
        selector, rest = _split_session(text)
        found = _sides(rest)
        if not found:
            return None
        if selector is not None:
            return self._other(selector).range(rest)
        if text.startswith("label:") and self._label(text.removeprefix("label:")):
            return None
        try:
            start, end = self.point(found["start"] or "HEAD"), self.point(found["end"] or "HEAD")
        except NotFound:
            if self._whole(text):
                return None
            raise
        if start.session.path != end.session.path:
            raise UsageFault(f"the two sides of a range are in different sessions ({text})")
        return Range(end.session, start.entry, end.entry, found["dots"] == "...")

    def point(self, text: str) -> Point:
        """The place that a revision names. Raises `NotFound`, `Ambiguous`, or `UsageFault` for what cannot be one."""
        if not text:
            raise UsageFault("an empty revision names nothing", hint="HEAD is the newest entry of the current path")
        try:
            selector, rest = _split_session(text)
            if selector is not None:
                return self._other(selector).point(rest or "HEAD")
            return Point(self.session, self._resolve(text))
        except (NotFound, UsageFault):
            if "session" not in self.__dict__:
                raise
            entry = self._whole(text)
            if entry is not None:
                return Point(self.session, entry)
            if _sides(text):
                raise UsageFault(f"a range names several entries, and one is wanted here ({text})") from None
            raise

    def _whole(self, text: str) -> Entry | None:
        # Ids and labels may hold what reads like a step, a range or a session; it is tried as that first.
        return self.session.tree.get(text) or self._label(text)

    def _other(self, selector: str) -> "Resolver":
        return Resolver(self._open_session(selector), self._open_session)

    def own_point(self, text: str) -> Point:
        """The place that a revision names in the resolver's own session. Raises `UsageFault` for one of another."""
        point = self.point(text)
        if point.session.path != self.session.path:
            raise UsageFault(f"that entry is in another session ({text})", hint="name the session with -s")
        return point

    def own_entry(self, text: str) -> Entry:
        """The entry that a revision names there; the place before the first entry is none. Raises the same."""
        point = self.own_point(text)
        return self.entry(text) if point.entry is None else point.entry

    def entry(self, text: str) -> Entry:
        """The entry that a revision of this session names; the place before the first entry is none."""
        point = self.point(text)
        if point.entry is None:
            raise NotFound(f"no entry stands there ({text})", hint="ROOT is the place before the first entry")
        return point.entry

    def _resolve(self, text: str) -> Entry | None:
        if text.startswith(":/"):
            return self._newest_match(text[2:])
        if text.startswith("label:"):
            return self._labelled(text.removeprefix("label:"))
        start = min((place for place in (text.find("~"), text.find("^")) if place >= 0), default=len(text))
        steps = _read_steps(text, start)
        if steps is None:
            return self._name(text)
        return self._follow(self._name(text[:start] or "HEAD"), steps, text)

    def _follow(self, entry: Entry | None, steps: list[_Step], text: str) -> Entry | None:
        for step in steps:
            entry = self._step(entry, step, text)
        return entry

    def _labelled(self, text: str) -> Entry | None:
        # A label may hold what reads like a step, so as much of the text as is a label is taken for it.
        for end in range(len(text), 0, -1):
            entry = self._label(text[:end]) if end == len(text) or text[end] in "~^" else None
            steps = _read_steps(text, end) if entry is not None else None
            if steps is not None:
                return self._follow(entry, steps, text)
        raise NotFound(f"no entry has that label ({text})", hint="pisess label lists the labels")

    def _name(self, name: str) -> Entry | None:
        session = self.session
        if name in ("HEAD", "@"):
            return self._must_exist(session.head, name)
        if name == "LEAF":
            return self._must_exist(session.leaf, name)
        if name == "ROOT":
            return None
        back = re.fullmatch(r"@\{-([0-9]+)\}", name)
        if name == "-" or back:
            return self._before_move(_count(back[1]) if back else 1, name)
        return session.named(name) or self._label(name) or self._prefix(name)

    def _must_exist(self, entry: Entry | None, name: str) -> Entry:
        if entry is None:
            raise NotFound(f"the current path has no entry yet ({name})")
        return entry

    def _before_move(self, count: int, name: str) -> Entry:
        move = next(islice(moves(self.session), count - 1, None), None) if count else None
        if move is None:
            raise NotFound(f"the leaf was not moved that often ({name})", hint="pisess reflog shows where it has been")
        return move.origin

    def _label(self, name: str) -> Entry | None:
        found = self._labels.get(name, [])
        if len(found) > 1:
            raise Ambiguous(f"several entries have the label {name}:{_candidates(found)}")
        return found[0] if found else None

    @cached_property
    def _labels(self) -> dict[str, list[Entry]]:
        tree = self.session.tree
        labels: dict[str, list[Entry]] = {}
        for key, label in tree.labels.items():
            entry = tree.get(key)
            if entry is not None and isinstance(label.text, str):
                labels.setdefault(label.text, []).append(entry)
        return labels

    def _prefix(self, name: str) -> Entry:
        tree = self.session.tree
        found = [entry for key, entry in tree.by_id.items() if isinstance(key, str) and key.startswith(name)]
        if len(found) > 1 and len(name) >= SHORTEST_PREFIX:
            raise Ambiguous(f"{name} is the start of several ids:{_candidates(found)}", hint="type more of it")
        if len(found) == 1 and len(name) >= SHORTEST_PREFIX:
            return found[0]
        raise UnknownName(f"no entry or label has that name ({name})", hint=self._did_you_mean(name, found))

    def _did_you_mean(self, name: str, found: list[Entry]) -> str:
        if found:
            return f"the start of an id has {SHORTEST_PREFIX} characters or more"
        from difflib import get_close_matches

        labels = [label.text for label in self.session.tree.labels.values() if isinstance(label.text, str)]
        recent = [entry.id for entry in islice(self.session.newest_first(), 2000) if isinstance(entry.id, str)]
        close = get_close_matches(name, [*labels, *_KEYWORDS, *recent], n=1, cutoff=0.6)
        return f"did you mean {close[0]}?" if close else "pisess log shows the entries, pisess label the labels"

    def _newest_match(self, pattern: str) -> Entry:
        matcher = compile_pattern(pattern)
        for entry in self.session.newest_first():
            # An entry that a later one with its id has replaced is no more.
            if entry.is_history and matcher.search(entry_text(entry)) and self.session.get(entry.id) is entry:
                return entry
        raise NotFound(f"no entry's text matches (:/{pattern})")

    def _step(self, entry: Entry | None, step: _Step, text: str) -> Entry | None:
        if step.kind in ("~", "^"):
            return self._up(entry, step, text)
        if entry is None:
            raise _above_root(text)
        if step.kind == "match":
            matches = compile_pattern(step.argument).search
            return self._nearest(entry, lambda above: above.is_history and bool(matches(entry_text(above))), text)
        wanted = _kind(step.argument)
        return self._nearest(entry, lambda above: wanted in (above.type, above.role), text)

    def _up(self, entry: Entry | None, step: _Step, text: str) -> Entry | None:
        count = _count(step.argument)
        if step.kind == "^" and count > 1:
            raise UsageFault(f"an entry has one parent ({text})", hint=f"~{step.argument} goes up as many entries")
        if not count:
            return entry
        if entry is None:
            raise _above_root(text)
        above = list(islice(self._above(entry), count))
        if len(above) == count:
            return above[-1]
        if len(above) == count - 1:
            # What stands above the first entry is the root.
            return None
        raise NotFound(f"that goes beyond the first entry ({text})", hint="ROOT is the place before the first entry")

    def _above(self, entry: Entry) -> Iterator[Entry]:
        return (parent for parent in islice(self.session.walk(entry), 1, None) if parent.is_history)

    def _nearest(self, start: Entry, fits: Callable[[Entry], bool], text: str) -> Entry:
        found = next((entry for entry in self.session.walk(start) if fits(entry)), None)
        if found is None:
            raise NotFound(f"no entry on the path fits ({text})")
        return found


def _above_root(text: str) -> NotFound:
    return NotFound(f"nothing stands above the root ({text})")


def _kind(word: str) -> str:
    known = {name.lower(): name for name in (*ENTRY_TYPES, *ROLES)}
    if word.lower() in known:
        return known[word.lower()]
    raise UsageFault(f"no such role or type of entry ({word})", hint=f"one of {', '.join(sorted(known.values()))}")


def _candidates(entries: list[Entry]) -> str:
    lines = [f"\n  {entry.id}  {subject(entry)[:60]}" for entry in entries[:_CANDIDATES_SHOWN]]
    more = len(entries) - len(lines)
    return "".join([*lines, f"\n  and {more} more" if more else ""])


def range_entries(found: Range) -> Iterator[Entry]:
    """The entries of a range: on the end's path but not on the start's, newest first.

    Of a symmetric one those follow that are on the start's path but not on the end's, newest first too.
    """
    walk = found.session.walk
    yield from _without(walk(found.end), walk(found.start))
    if found.symmetric:
        yield from _without(walk(found.start), walk(found.end))


def _without(path: Iterator[Entry], other: Iterator[Entry]) -> Iterator[Entry]:
    # An id counts once: a path that ends in a circle may come back to where it began.
    passed = {entry.key for entry in other}
    for entry in path:
        if entry.key not in passed:
            passed.add(entry.key)
            yield entry


def fork_point(found: Range) -> Entry | None:
    """The newest entry that is on the paths of both ends of a range; None if they have none in common."""
    above_start = {entry.key for entry in found.session.walk(found.start)}
    return next((entry for entry in found.session.walk(found.end) if entry.key in above_start), None)
