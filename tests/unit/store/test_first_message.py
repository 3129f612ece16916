import json
from pathlib import Path

import pytest

from pisess_cli.core.context.summary_prompts import read_template
from pisess_cli.core.errors import Refused
from pisess_cli.core.format.content import user_message
from pisess_cli.core.store.first_message import TEMPLATE, opening_lines
from pisess_cli.core.store.new_sessions import NewSession

NEW = NewSession(Path("/s.jsonl"), {"type": "session", "version": 3, "id": "a", "cwd": "/"})


def test_a_users_message_is_a_list_of_blocks() -> None:
    assert user_message("hi", 5) == {"role": "user", "content": [{"type": "text", "text": "hi"}], "timestamp": 5}


def test_name_and_message_make_a_chain() -> None:
    header, name, message = [json.loads(line) for line in opening_lines(NEW, "hi", "first")]

    assert header == NEW.header
    assert [name["parentId"], message["parentId"]] == [None, name["id"]]
    assert name["id"] != message["id"]


def test_the_text_stays_as_it_was_written() -> None:
    *_, message = [json.loads(line) for line in opening_lines(NEW, "  def f():\n    ...\n")]

    assert message["message"]["content"][0]["text"] == "  def f():\n    ...\n"


@pytest.mark.parametrize("text", ["", "\n ", "\ufeff\u2028"])
def test_white_space_alone_is_no_message(text: str) -> None:
    with pytest.raises(Refused):
        list(opening_lines(NEW, text))


def test_of_the_template_only_what_is_written_above_its_line_counts() -> None:
    assert read_template(TEMPLATE, TEMPLATE) == ""
    assert read_template(f"hi{TEMPLATE}", TEMPLATE) == "hi"
