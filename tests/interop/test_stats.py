"""What a session used is what the real Pi says that it used, and Pi's forks change no total.

The stored answers of Pi are the oracle's: PISESS_ORACLE names its folder, or it stands at ../shared/oracle.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pytest_console_scripts import ScriptRunner

from builder import SessionBuilder, call, talk, tokens_used
from interop.pi import TIMEOUT_S, Pi, Pisess

HERE = Path(__file__).resolve().parent
ORACLE = Path(os.environ.get("PISESS_ORACLE", HERE.parents[2] / "shared" / "oracle"))

_BREAKDOWN = """
import path from "node:path";
import { pathToFileURL } from "node:url";
const core = path.join(process.env.PI_NODE_MODULES, "@earendil-works/pi-coding-agent/dist/core");
const load = (name) => import(pathToFileURL(path.join(core, name)).href);
const { SessionManager } = await load("session-manager.js");
const { getUsageCostBreakdown } = await load("usage-totals.js");
const entries = SessionManager.open(process.argv[1]).getEntries();
process.stdout.write(JSON.stringify(getUsageCostBreakdown(entries)));
"""

Json = dict[str, Any]


def breakdown_of_pi(pi: Pi, file: Path, scratch: Path) -> list[Json]:
    """Pi's rows as `stats --json` names their fields. Pi gets a copy: it rewrites what it opens."""
    copy = shutil.copy(file, scratch / "copy.jsonl")
    done = subprocess.run(
        [str(pi.tree.node), "--input-type=module", "-e", _BREAKDOWN, str(copy)],
        env=pi.env | {"PI_NODE_MODULES": str(pi.tree.modules)},
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return as_rows(json.loads(done.stdout))


def as_rows(breakdown: list[Json]) -> list[Json]:
    return [{"model": row["key"], "tokens": row["tokens"], "cost": row["cost"]} for row in breakdown]


def spender() -> SessionBuilder:
    """Usage of every kind, on two branches, in amounts that do not add up evenly."""
    made = talk().assistant("", call("read"), model="two", responseModel="two-2026", usage=tokens_used(7, 0.1))
    made.result("ok", usage=tokens_used(11, 0.2)).branch_at("Rewrite it.")
    made.compact("short", usage=tokens_used(13, 0.3)).branch_summary("left", usage=tokens_used(17, 0.7))
    made.entry("usage", kind="cache_warm", provider="acme", model="one", usage=tokens_used(19, 0.01))
    return made.assistant("Nothing.", model="three")


@pytest.mark.parametrize("version", [1, 2, 3])
def test_the_rows_are_pis(pi: Pi, pisess: Pisess, tmp_path: Path, version: int) -> None:
    file = spender().version(version).write(tmp_path / "spender.jsonl")

    rows = json.loads(pisess("-s", file, "stats", "--json"))["rows"]

    assert len(rows) == 3
    assert rows == breakdown_of_pi(pi, file, tmp_path)


def test_the_rows_of_what_pi_wrote_are_pis(pi: Pi, pisess: Pisess, session: Path, tmp_path: Path) -> None:
    rows = json.loads(pisess("-s", session, "stats", "--json"))["rows"]

    assert rows
    assert rows == breakdown_of_pi(pi, session, tmp_path)


def test_pis_forks_change_no_total(pi: Pi, pisess: Pisess) -> None:
    made = spender()
    folder = pi.session_dir()
    folder.mkdir(parents=True)
    source = made.write(folder / "m.jsonl")
    before = pisess("stats", "--all", "--json")

    pi.call_session_manager(["forkFrom", str(source), str(pi.project), str(folder)], [])
    pi.call_session_manager(["open", str(source)], [["createBranchedSession", made.id("Renamed.")]])

    assert len(pi.sessions()) == 3
    assert pisess("stats", "--all", "--json") == before


def vectors() -> list[Path]:
    return sorted((ORACLE / "vectors").glob("*.json"))


@pytest.mark.skipif(not vectors(), reason="the oracle is not there (PISESS_ORACLE)")
@pytest.mark.parametrize("all_or_one", [[], ["--all"]])
def test_the_rows_are_pis_stored_answers(script_runner: ScriptRunner, tmp_path: Path, all_or_one: list[str]) -> None:
    asked = 0
    for vector in vectors():
        stored = json.loads(vector.read_text())
        answers = [answer for request, answer in stored["asks"] if request == {"op": "usage"} and answer["ok"]]
        if not answers:
            continue
        (tmp_path / "session.jsonl").write_bytes(stored["text"].encode("latin-1"))
        run = ["pisess", "-s", str(tmp_path / "session.jsonl"), "--session-dir", str(tmp_path), "stats", "--json"]

        done = script_runner.run([*run, *all_or_one], print_result=False)

        assert json.loads(done.stdout)["rows"] == as_rows(answers[0]["value"]), vector.name
        asked += 1
    assert asked > len(vectors()) / 2
