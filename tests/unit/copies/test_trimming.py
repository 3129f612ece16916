"""What is left of images and long outputs."""

import json
from typing import Any

import pytest

from builder import SessionBuilder, call, dumps, id_of, session, text
from pisess_cli.core.copies.trimming import Trimming, shortened

IMAGE = {"type": "image", "data": "aGVsbG8gd29ybGQ=", "mimeType": "image/png"}
NOTE = text("[image/png left out, 11 bytes]")


def slim(made: SessionBuilder, **wishes: Any) -> list[dict[str, Any]]:
    """The entries, trimmed."""
    return [json.loads(Trimming(**wishes).line(entry.raw + b"\n", entry)) for entry in made.entries]


@pytest.mark.parametrize(
    "made",
    [
        session().user([text("look"), IMAGE]),
        session().message("toolResult", [text("look"), IMAGE]),
        session().custom_message("", content=[text("look"), IMAGE]),
        session().user("x").edit("x", [text("look"), IMAGE]),
    ],
)
def test_a_note_with_kind_and_size_stands_in_place_of_an_image(made: SessionBuilder) -> None:
    before = dumps(made.values[-1])

    assert slim(made, strip_images=True)[-1] == json.loads(before.replace(dumps(IMAGE), dumps(NOTE)))


def test_what_is_no_block_of_a_message_is_no_image() -> None:
    made = session().assistant("", call("show", image=IMAGE)).result("", details={"content": [IMAGE]})
    made.custom("ext", {"content": [IMAGE]}).user([{"type": "image", "url": "x"}]).user(dumps(IMAGE))

    assert slim(made, strip_images=True) == made.values


@pytest.mark.parametrize("kind", ["x" * 500, None, ""])
def test_a_kind_that_nobody_knows_is_no_reason_to_keep_an_image(kind: str | None) -> None:
    [value] = slim(session().user([{"mimeType": kind, "data": "aGk=", "type": "image"}]), strip_images=True)

    [block] = value["message"]["content"]
    assert block["text"].endswith(" left out, 2 bytes]")
    assert len(block["text"]) < 80


def test_long_outputs_of_tools_and_commands_are_cut() -> None:
    long = "a" * 500 + "z" * 500
    made = session().result(long, details={"diff": long * 2}).bash("ls", long).user(long).assistant(long)

    result, bash, user, assistant = (value["message"] for value in slim(made, max_output=100))

    short = shortened(long, 100)
    assert (result["content"], bash["output"]) == ([text(short)], short)
    assert len(result["details"]["diff"]) == 1000
    assert (user["content"], assistant["content"]) == (long, [text(long)])


def test_short_details_stay_since_they_may_be_names() -> None:
    made = session().result("x" * 99, details={"fullOutputPath": "/tmp/" + "x" * 99})

    [value] = slim(made, max_output=10)

    assert value["message"]["details"] == made.values[0]["message"]["details"]
    assert value["message"]["content"] == [text(shortened("x" * 99, 10))]


def test_an_image_in_a_result_is_no_output_to_cut() -> None:
    made = session().message("toolResult", [{**IMAGE, "data": "A" * 1000}])

    assert slim(made, max_output=100) == made.values


def test_what_there_is_nothing_to_take_from_is_the_same_line() -> None:
    [entry] = session().result("an image of " + id_of(1)).entries
    line = entry.raw + b"\n"

    assert Trimming().line(line, entry) is line
    assert Trimming(strip_images=True, max_output=1000).line(line, entry) is line
    assert Trimming(max_output=len(line)).line(line, entry) is line


@pytest.mark.parametrize("letter", ["a", "é", "日", "😀", "\ud800"])
@pytest.mark.parametrize("most", [0, 10, 40, 41, 42, 43, 44, 199])
def test_a_cut_text_has_its_beginning_and_end_and_no_more_bytes_than_that(letter: str, most: int) -> None:
    full = letter * 200

    cut = shortened(full, most)

    size = len(cut.encode("utf-8", "surrogatepass"))
    head, _, rest = cut.partition("\n[")
    count, _, tail = rest.partition(" bytes left out]\n")
    assert size <= max(most, 40)
    assert full.startswith(head)
    assert full.endswith(tail)
    assert len((head + tail).encode("utf-8", "surrogatepass")) + int(count) == 200 * len(
        letter.encode("utf-8", "surrogatepass")
    )


def test_a_text_is_cut_no_further_the_second_time() -> None:
    once = shortened("x" * 1000, 10)

    assert shortened(once, 10) == once
    assert shortened(shortened("x" * 1000, 100), 100) == shortened("x" * 1000, 100)
    assert shortened("short", 3) == "short"
