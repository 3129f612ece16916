"""Hostile files: the corpus of inputs that found or reached something, new ones by chance, in full also by coverage."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from reliability.bench import Bench, Broken
from reliability.inputs import Input, made

HERE = Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
INPUTS = 300
FULL_SECONDS = 1800


def replay(bench: Bench) -> int:
    """Runs the corpus, on a terminal and in a pipe; gives how many inputs it has. Raises `Broken`."""
    files = sorted(CORPUS.glob("*.input"))
    for file in files:
        given = Input.parse(file.read_bytes())
        for on_terminal in (True, False):
            try:
                bench.check(given, on_terminal=on_terminal)
            except Broken as broken:
                raise Broken(f"{file.name}: {broken}") from None
    return len(files)


def by_chance(bench: Bench, inputs: int) -> None:
    """Runs so many inputs, always the same ones. Raises `Broken`."""
    for seed in range(inputs):
        try:
            bench.check(made(seed), on_terminal=seed % 2 == 0)
        except Broken as broken:
            raise Broken(f"seed {seed}: {broken}") from None


def by_coverage(scratch: Path, seconds: int) -> dict[str, int]:
    """Looks for so long with atheris; gives the figures. Raises `Broken` with the first find."""
    found, kept = scratch / "found", scratch / "kept"
    for folder in (found, kept):
        folder.mkdir()
    for file in CORPUS.glob("*.input"):
        (kept / file.name).write_bytes(file.read_bytes())
    done = subprocess.run(
        [sys.executable, str(HERE / "coverage_guided.py"), str(found), str(kept), str(seconds)],
        env=dict(os.environ) | {"PYTHONPATH": str(HERE.parent)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    finds = sorted(path for path in found.iterdir() if not path.name.startswith("slow-unit"))
    if finds or done.returncode:
        lasting = Path(tempfile.mkdtemp(prefix="pisess-finds-"))
        for path in finds:
            (lasting / path.name).write_bytes(path.read_bytes())
        raise Broken(f"{len(finds)} finds, kept in {lasting}: {done.stderr[-500:].decode(errors='replace')}")
    log = done.stderr.decode(errors="replace")
    numbers = {name: int(number) for name, number in re.findall(r"stat::(\w+): +(\d+)", log)}
    covered = [int(number) for number in re.findall(r" cov: (\d+)", log)]
    return {
        "inputs tried by coverage": numbers.get("number_of_executed_units", 0),
        "places in the code reached": max(covered, default=0),
        "most memory, MB": numbers.get("peak_rss_mb", 0),
    }


def run(scratch: Path, *, full: bool) -> dict[str, int]:
    """All of it; gives the figures. Raises `Broken`."""
    bench = Bench(scratch / "bench")
    figures = {"inputs of the corpus": replay(bench), "inputs by chance": 20 * INPUTS if full else INPUTS}
    by_chance(bench, figures["inputs by chance"])
    return figures | (by_coverage(scratch, FULL_SECONDS) if full else {}) | {"broken": 0}
