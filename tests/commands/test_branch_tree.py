import json

import pytest

from builder import session, talk
from running import Pisess


def test_the_shape_of_a_session_is_a_line_a_run(pisess: Pisess) -> None:
    pisess.use(talk())

    assert [line.split("\t") for line in pisess.ok("branch", "--tree").lines] == [
        ["○", "4", "$0.01", "0007beef", "found", "Where is the parser?"],
        ["├─●", "2", "", "000abeef", "", "Rewrite it."],
        ["●", "2", "$0.01", "000cbeef", "HEAD", "Only rename it."],
    ]


def test_branches_of_branches_stand_further_in(pisess: Pisess) -> None:
    story = session().user("a").user("side").user("side of side").branch_at("side").user("longer").user("still")
    pisess.use(story.branch_at("a").user("head"))

    assert [line.split("\t")[0] for line in pisess.ok("branch", "--tree").lines] == ["○", "├─●", "│ ├─●", "│ ●", "●"]


def test_compactions_and_labels_are_marks(pisess: Pisess) -> None:
    pisess.use(session().user("a").label("good").compact("short").label("bad\tone"))

    assert pisess.ok("branch", "--tree").line.split("\t")[4] == "HEAD, 1 compaction, good, bad one"


def test_json_is_an_object_a_run(pisess: Pisess) -> None:
    story = talk()
    pisess.use(story)

    first, *_ = map(json.loads, pisess.ok("branch", "--tree", "--json").lines)

    assert first == {
        "depth": 0,
        "begins": True,
        "first": story.id("Where is the parser?"),
        "last": story.id("In src/parser.py."),
        "entries": 4,
        "turns": 1,
        "compactions": 0,
        "labels": ["found"],
        "cost": 0.012,
        "head": False,
        "onPath": True,
        "subject": "Where is the parser?",
    }


def test_a_pipe_has_every_branch(pisess: Pisess) -> None:
    story = session().user("root")
    for number in range(1000):
        story.branch_at("root").user(f"branch {number}")
    pisess.use(story)

    assert len(pisess.ok("branch", "--tree").lines) == 1001


@pytest.mark.parametrize("arguments", [("name",), ("--at", "HEAD"), ("--contains", "HEAD")])
def test_it_goes_with_no_other_thing_to_do(pisess: Pisess, arguments: tuple[str, ...]) -> None:
    pisess.use(talk())

    assert "do not go together" in pisess.fail("branch", "--tree", *arguments, code=2)


def test_a_chain_far_deeper_than_the_stack_is_one_line(pisess: Pisess) -> None:
    lines = [session().lines[0]]
    for number in range(20_000):
        parent = f'"{number - 1:08x}"' if number else "null"
        lines.append(
            f'{{"type":"message","id":"{number:08x}","parentId":{parent},"message":{{"role":"user","content":"x"}}}}'.encode()
        )
    path = pisess.home / "chain.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    pisess.use(path)

    assert pisess.ok("branch", "--tree").line.split("\t")[1] == "20,000"
