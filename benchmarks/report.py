"""How results are shown and kept: on a terminal, as JSON, and in RESULTS.md."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import Comparison
from benchmarks.rows import Row

RESULTS = Path(__file__).with_name("RESULTS.md")
_TITLE = "# Results\n"


class Result(NamedTuple):
    """A row with what came out: a comparison, or why there is none. `memory` is ours over what the row names."""

    row: Row
    found: Comparison | None
    memory: float | None = None
    fault: str = ""

    @property
    def verdict(self) -> str:
        """`pass`, `FAIL`, or nothing where the row sets no limit or could not be measured."""
        if self.fault:
            return "FAIL"
        if self.found is None or (self.row.limit is None and self.row.memory_limit is None):
            return ""
        in_time = self.row.limit is None or self.found.ratio <= self.row.limit
        in_memory = self.row.memory_limit is None or self.memory is None or self.memory <= self.row.memory_limit
        return "pass" if in_time and in_memory else "FAIL"

    def cells(self) -> list[str]:
        """The row of the table."""
        row, found = self.row, self.found
        limit = "" if row.limit is None else f"{row.limit:g}"
        if found is None:
            return [row.work, row.against, self.fault or "not measured", "", "", "", limit, "", self.verdict]
        less = " less `--version`" if row.less else ""
        memory = f"{found.memory / 1e6:.0f} MB"
        if row.memory_limit is not None and self.memory is not None:
            memory += f", {self.memory:.2f} ≤ {row.memory_limit:g}"
        return [
            row.work + less,
            row.against,
            _seconds(found.ours),
            _seconds(found.theirs),
            f"{found.ratio:.2f}",
            f"{found.cpu_ratio:.2f}",
            limit,
            memory,
            self.verdict,
        ]

    def as_json(self) -> dict[str, object]:
        """The row for programs; times in seconds, memory in bytes."""
        row = self.row
        measured = {} if self.found is None else self.found._asdict()
        about = {"work": row.work, "against": row.against, "limit": row.limit, "memoryLimit": row.memory_limit}
        return {**about, **measured, "memoryRatio": self.memory, "fault": self.fault, "verdict": self.verdict}


HEADINGS = ["work", "against", "ours", "theirs", "ratio", "of CPU", "at most", "memory", ""]


def machine(versions: Mapping[str, str]) -> dict[str, object]:
    """What the figures were measured on; nothing that tells whose machine it is."""
    pages, page = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "system": f"{platform.system()} {platform.release().split('-')[0]}, {platform.machine()}",
        "cores": os.cpu_count(),
        "memoryGB": round(pages * page / 1e9),
        "load": round(os.getloadavg()[0], 1),
        **versions,
    }


def markdown(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table in Markdown, its columns lined up."""
    every = [headings, *lines]
    widths = [max(len(line[column]) for line in every) for column in range(len(headings))]
    rows = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in every]
    rule = " | ".join("-" * max(width, 3) for width in widths)
    return "\n".join(f"| {row} |" for row in [rows[0], rule, *rows[1:]]) + "\n"


def write_json(path: Path, about: Mapping[str, object], results: Sequence[Mapping[str, object]]) -> None:
    """Keeps the results for programs."""
    path.write_text(json.dumps({**about, "rows": list(results)}, indent=2, ensure_ascii=False) + "\n")


def write_section(title: str, about: Mapping[str, object], body: str) -> None:
    """Puts a section into RESULTS.md in the place of the one that had its title; the others stay."""
    text = RESULTS.read_text() if RESULTS.exists() else _TITLE
    head, *sections = text.split("\n## ")
    said = ", ".join(f"{name} {value}" for name, value in about.items())
    new = f"{title}\n\n{said}.\n\n{body.strip()}\n"
    kept = [section for section in sections if section.partition("\n")[0] != title]
    RESULTS.write_text("\n## ".join([head, *sorted([*kept, new], reverse=True)]).rstrip() + "\n")


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 10 else f"{seconds:.1f} s"
