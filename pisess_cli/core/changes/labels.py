"""Bookmarks: Pi allows one label an entry; here a label also names one entry, as Git's tags do."""

from pisess_cli.core.errors import NotFound, Refused, UsageFault
from pisess_cli.core.format.entries import Entry, Key
from pisess_cli.core.format.javascript import UNDEFINED, Maybe, js_trim, shown
from pisess_cli.core.format.new_entries import label_fields
from pisess_cli.core.session.appender import Appender
from pisess_cli.core.session.session import Session


def set_label(appender: Appender, name: str, target: Entry, *, force: bool) -> Entry | None:
    """Sets a label; None if it stands there already. Raises `Refused` where a label would be lost, unless forced.

    Forced, it is taken from the entry that has it, and from the target what stood there before.
    """
    name = js_trim(name)
    if not name:
        raise UsageFault("a label needs a name")
    session = appender.session
    key = target.key
    existing = session.label_of(target)
    if existing and existing.text == name:
        return None
    if existing and not force:
        raise Refused(f"the entry has a label already ({shown(existing.text)})", hint="-f replaces it")
    for elsewhere in _elsewhere(session, name, key):
        if not force:
            raise Refused(f"another entry has that label ({name}: {elsewhere})", hint="-f moves it")
        appender.append("label", {"targetId": elsewhere, "label": UNDEFINED})
    return appender.append("label", label_fields(lambda _: target, str(target.id), name))


def _elsewhere(session: Session, name: str, target: Key) -> list[str]:
    labels = session.labels.items()
    return [key for key, label in labels if label.text == name and key != target and isinstance(key, str)]


def clear_label(appender: Appender, target: Maybe) -> Entry:
    """Takes the label off an entry. Raises `NotFound` if it has none."""
    if not isinstance(target, str) or target not in appender.session.tree.labels:
        raise NotFound(f"that entry has no label ({target})", hint="pisess label lists them")
    return appender.append("label", {"targetId": target, "label": UNDEFINED})
