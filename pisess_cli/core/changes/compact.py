"""Appending a compaction."""

from pisess_cli.core.context.compaction import Preparation, compaction_fields
from pisess_cli.core.format.entries import Entry
from pisess_cli.core.format.times import iso, now_ms
from pisess_cli.core.session.appender import Appender


def append_compaction(appender: Appender, preparation: Preparation, summary: str) -> Entry:
    """Appends the compaction with its finished summary below the leaf; gives the entry."""
    moment = now_ms()
    return appender.append("compaction", compaction_fields(preparation, summary, moment), timestamp=iso(moment))
