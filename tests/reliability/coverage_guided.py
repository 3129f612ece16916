"""The fuzzer with an eye on which code an input reaches: `python tests/reliability fuzz --full` starts it.

It needs atheris (`pip install atheris`), which instruments pisess and keeps each input that reaches something new in
the folder that it is given. Arguments: the folder for finds, the folder for what is kept, and how many seconds.
"""

import hashlib
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import atheris

with atheris.instrument_imports(include=["pisess_cli"], enable_loader_override=False):
    import pisess_cli

    for module in walk_packages(pisess_cli.__path__, "pisess_cli."):
        if not module.name.endswith("__main__"):
            import_module(module.name)

from hostile import Maker
from reliability.bench import Bench, Broken, scratch_place
from reliability.inputs import Input, changed, crossed, made

MEMORY_MB = 1024
"""One input of 64 KiB at most, and pisess with all its modules: beyond that an input is a find."""
_HANG_S = 120
"""By the clock, which runs on while others have the processor; the bench looks at the processor's time."""


def main(found: Path, kept: Path, seconds: int) -> None:
    """Looks for so long; what reaches new code goes to `kept`, what is broken to `found`."""
    bench = Bench(Path(tempfile.mkdtemp(dir=scratch_place())))
    count = 0

    def test(block: bytes) -> None:
        nonlocal count
        count += 1
        given = Input.parse(block)
        try:
            bench.check(given, on_terminal=count % 2 == 0)
        except Broken as broken:
            keep(found, given, f"{broken}\n\n{bench.trace(given)}")

    arguments = [f"-max_total_time={seconds}", f"-timeout={_HANG_S}", f"-rss_limit_mb={MEMORY_MB}", "-max_len=70000"]
    arguments += ["-len_control=0", f"-artifact_prefix={found}/", "-print_final_stats=1", str(kept)]
    atheris.Setup([sys.argv[0], *arguments], test, custom_mutator=mutate, custom_crossover=cross)
    atheris.Fuzz()


def mutate(block: bytes, max_size: int, seed: int) -> bytes:
    """A changed block, now and then a new one, now and then one changed without any sense."""
    maker = Maker(seed)
    kind = maker.randrange(10)
    if kind == 0 or not block:
        return made(seed).block[:max_size]
    if kind == 1:
        return atheris.Mutate(block, max_size)
    return changed(Input.parse(block), maker).block[:max_size]


def cross(one: bytes, other: bytes, max_size: int, seed: int) -> bytes:
    """The beginning of one and the end of another."""
    return crossed(Input.parse(one), Input.parse(other), Maker(seed)).block[:max_size]


def keep(folder: Path, found: Input, why: str) -> None:
    """Keeps a find, one for each reason; goes on looking for others."""
    # The last line of a traceback's places tells finds apart better than the words that differ in each.
    lines = [line for line in why.split("\n") if line.strip()]
    places = [line for line in lines if "pisess_cli" in line]
    name = hashlib.sha256((places[-1] if places else lines[0].split(": (")[0][:60]).encode()).hexdigest()[:12]
    if not (folder / name).exists():
        (folder / name).write_bytes(found.block)
        (folder / f"{name}.txt").write_text(why, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
