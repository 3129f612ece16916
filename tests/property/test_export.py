"""Whatever a session file holds, it can be exported in every form, and no form loses or repeats an entry."""

import re
import tempfile
from pathlib import Path

from hypothesis import given

from hostile import files
from pisess_cli.core.reports.excerpt import Excerpt, branch_excerpt, whole_excerpt
from pisess_cli.core.reports.outline import fold, outline
from pisess_cli.core.reports.table_files import write_sqlite
from pisess_cli.core.reports.tables import ENTRIES, Rows
from pisess_cli.core.session.session import Session
from pisess_cli.view.dates import date_format
from pisess_cli.view.export_html import html_page
from pisess_cli.view.export_markdown import markdown_page

DATE = date_format("iso")


def session_of(data: bytes, folder: str) -> Session:
    path = Path(folder) / "session.jsonl"
    path.write_bytes(data)
    return Session(path)


def excerpts(session: Session) -> list[Excerpt]:
    makers = (branch_excerpt, whole_excerpt)
    return [make(session, session.leaf, full=full) for make in makers for full in (False, True)]


@given(files)
def test_pages_have_every_entry_once(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for excerpt in excerpts(session_of(data, folder)):
            html = "".join(html_page(excerpt, DATE))
            markdown = "".join(markdown_page(excerpt, DATE))

            assert html.count("<article ") == len(excerpt.history.entries)
            assert len(re.findall("^## ", markdown, re.MULTILINE)) == len(excerpt.history.entries)
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", html + markdown)


@given(files)
def test_tables_have_every_entry_once(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        session = session_of(data, folder)
        rows = list(Rows().of(session))

        write_sqlite(Path(folder) / "out", rows)

        assert sum(row.table is ENTRIES for row in rows) == len(session.tree.entries)


@given(files)
def test_the_shape_has_every_entry_once_however_far_it_is_folded(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        session = session_of(data, folder)

        runs = outline(session)

        entries = len(whole_excerpt(session, session.leaf, full=False).history.entries)
        assert sum(run.tally.entries for run in runs) == entries
        for limit in range(4):
            folded = fold(runs, limit)
            assert sum(run.tally.entries + run.folded_tally.entries for run in folded) == entries
