"""A session file read whole (SPEC 3)."""

from collections.abc import Iterator

from pisess_cli.core.format import jsonl
from pisess_cli.core.format.entries import Entry, Header, read_entry
from pisess_cli.core.format.javascript import BadLine
from pisess_cli.core.storage.session_file import SessionFile


class Whole:
    """Every entry of a file, in the file's order, migrated where it is old.

    `kept` has the header lines too, `entries` has not. `skipped`: how many lines were no JSON and not blank.
    `spans`: where the lines of all of them stand in `data`; `bad_spans`: those of the skipped ones.
    """

    def __init__(self, file: SessionFile) -> None:
        data = file.read(0, file.size)
        kept: list[Entry] = []
        self.spans: list[tuple[int, int]] = []
        self.bad_spans: list[tuple[int, int]] = []
        for start, end in jsonl.line_spans(data):
            try:
                entry = read_entry(data, start, end)
            except BadLine:
                if not jsonl.is_blank(data[start:end]):
                    self.spans.append((start, end))
                    self.bad_spans.append((start, end))
                continue
            if entry is not None:
                self.spans.append((start, end))
                kept.append(entry)
        self.header = file.header
        if file.header.is_old:
            from pisess_cli.core.format.migration import migrate

            kept = migrate(file.header, kept)
            self.header = Header(next(entry for entry in kept if entry.type == "session"))
        self.kept = kept
        self.entries = [entry for entry in kept if entry.type != "session"]
        self.skipped = len(self.bad_spans)
        self.data = data


def migrated_lines(whole: Whole) -> Iterator[tuple[bytes, Entry | None]]:
    """The lines of a file as the current version has them, each with its newline and entry; bad ones stay, without."""
    migrated = iter(whole.kept)
    bad = set(whole.bad_spans)
    for span in whole.spans:
        entry = None if span in bad else next(migrated)
        yield (whole.data[slice(*span)] if entry is None else entry.raw) + b"\n", entry
