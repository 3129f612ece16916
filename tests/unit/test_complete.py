"""What `pisess __complete` finds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from builder import SessionBuilder, session
from pisess_cli import complete
from pisess_cli.complete import candidates
from pisess_cli.core.store.list_cache import open_cache
from pisess_cli.core.store.listing import list_sessions
from running import unchanged


class Desk:
    """A session directory, and what completes in it; `values` gives the values alone."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.sessions = home / "sessions"
        self.project = home / "project"
        self.sessions.mkdir()
        self.project.mkdir()
        self.environment = {"PISESS_SESSION_DIR": str(self.sessions)}
        self._count = 0

    def add(self, made: SessionBuilder) -> Path:
        """Writes a session; each one is more recent than those before it."""
        self._count += 1
        file = made.write(self.sessions / f"{self._count:03d}_{made.header['id']}.jsonl")
        os.utime(file, (1_772_000_000 + self._count, 1_772_000_000 + self._count))
        return file

    def begin(self, session_id: str = "0a000000-recent") -> SessionBuilder:
        return session(session_id, cwd=str(self.project))

    def found(self, kind: str, prefix: str = "", *options: str) -> dict[str, str]:
        return dict(candidates(["-C", str(self.project), *options, kind, prefix], self.environment))

    def values(self, kind: str, prefix: str = "", *options: str) -> list[str]:
        return list(self.found(kind, prefix, *options))


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Desk(tmp_path)


# Revisions.


def test_entries_come_newest_first_with_their_first_words(desk: Desk) -> None:
    desk.add(desk.begin().user("fix it").assistant("It is fixed."))

    assert desk.found("rev", "000") == {"0002beef": "assistant: It is fixed.", "0001beef": "user: fix it"}


def test_bookkeeping_is_offered_only_where_its_id_is_begun(desk: Desk) -> None:
    desk.add(desk.begin().user("hi").model("acme", "one"))

    assert "0002beef" not in desk.values("rev")
    assert "0002beef" in desk.values("rev", "0002")


def test_labels_come_before_entries(desk: Desk) -> None:
    desk.add(desk.begin().user("hi").label("good").assistant("yes"))

    assert desk.values("rev") == ["HEAD", "LEAF", "ROOT", "good", "0003beef", "0001beef"]


def test_a_label_is_described_by_its_entry(desk: Desk) -> None:
    desk.add(desk.begin().user("hi").label("good"))

    assert desk.found("label") == {"good": "user: hi"}


def test_a_label_that_was_cleared_or_replaced_is_gone(desk: Desk) -> None:
    desk.add(
        desk.begin().user("one").label("first").user("two").label("second").clear_label("one").label("third", "two")
    )

    assert desk.values("label") == ["third"]


@pytest.mark.parametrize("label", ["a..b", "two words", "@1:x", "x~2"])
def test_a_label_that_reads_like_something_else_is_offered_behind_its_mark(desk: Desk, label: str) -> None:
    desk.add(desk.begin().user("hi").label(label))

    assert label not in desk.values("rev", label[:1])
    assert desk.values("rev", "label:") == [f"label:{label}"]


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        pytest.param("ROOT..go", "ROOT..good", id="the end of a range"),
        pytest.param("ROOT...go", "ROOT...good", id="of a symmetric one"),
        pytest.param("..go", "..good", id="of one that begins at HEAD"),
        pytest.param("HEAD^{us", "HEAD^{user}", id="a role"),
        pytest.param("good^{branch_", "good^{branch_summary}", id="a type"),
        pytest.param("@2:oth", "@2:other", id="an entry of another session"),
        pytest.param("@2:HEAD..@2:oth", "@2:HEAD..@2:other", id="a range in another session"),
    ],
)
def test_what_is_begun_within_a_revision_is_completed(desk: Desk, prefix: str, expected: str) -> None:
    desk.add(desk.begin("0b000000-older").user("what?").label("other"))
    desk.add(desk.begin().user("hi").label("good"))

    assert expected in desk.values("rev", prefix)


def test_a_pattern_is_not_completed(desk: Desk) -> None:
    desk.add(desk.begin().user("hi").label("good"))

    assert desk.values("rev", ":/go") == []


def test_the_session_that_was_named_counts(desk: Desk) -> None:
    desk.add(desk.begin("0b000000-older").user("what?").label("other"))
    desk.add(desk.begin().user("hi").label("good"))

    assert desk.values("label", "", "-s", "@2") == ["other"]


def test_the_directory_that_was_named_counts(desk: Desk, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    desk.begin().user("hi").label("there").write(elsewhere / "x.jsonl")

    assert desk.values("label", "", "--session-dir", str(elsewhere)) == ["there"]


def test_a_long_session_is_read_at_its_end_only(desk: Desk) -> None:
    made = desk.begin().user("hi").label("far-away")
    for number in range(40):
        made.user(f"{number} {'x' * 100_000}")
    desk.add(made.label("near"))

    assert desk.values("label") == ["near"]


def test_as_many_values_are_offered_as_one_looks_through(desk: Desk) -> None:
    made = desk.begin()
    for number in range(200):
        made.user(f"question {number}")
    desk.add(made)

    assert len(desk.values("rev", "0")) == 60


# Sessions.


def test_sessions_are_offered_by_number_by_name_and_by_id(desk: Desk) -> None:
    desk.add(desk.begin("0b000000-older").user("what?").name("the parser"))
    desk.add(desk.begin().user("hi"))

    assert desk.values("session") == ["@1", "@2", "0a000000-recent", "the parser"]
    assert desk.found("session", "@")["@2"] == "the parser"
    assert desk.values("session", "the") == ["the parser"]
    assert desk.values("session", "0b") == ["0b000000-older"]


def test_an_older_session_is_found_by_its_id(desk: Desk) -> None:
    for number in range(100, 140):
        desk.add(desk.begin(f"{number}-session").user("hi"))

    assert desk.values("session", "101") == ["101-session"]


def test_an_older_session_is_found_by_its_name_once_it_was_listed(desk: Desk) -> None:
    files = [desk.add(desk.begin(f"{number}-session").user("hi").name(f"work {number}")) for number in range(100, 140)]
    assert desk.values("session", "work 101") == []

    list_sessions(files, open_cache(desk.environment))

    assert desk.found("session", "work 101") == {"work 101": "hi"}


def test_the_name_that_counts_is_the_last_one(desk: Desk) -> None:
    desk.add(desk.begin().user("hi").name("old").name("new"))

    assert desk.values("session", "") == ["@1", "new"]


@pytest.mark.parametrize("name", ["a/path", "@1"])
def test_a_name_that_would_be_taken_for_something_else_is_not_offered(desk: Desk, name: str) -> None:
    desk.add(desk.begin().user("hi").name(name))

    assert desk.values("session") == ["@1", "0a000000-recent"]


# Settings, models, tools.


def test_settings_and_aliases_are_keys(desk: Desk) -> None:
    config = desk.home / ".config" / "pisess" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[alias]\nlatest = "log -n 1"\n', encoding="utf-8")

    assert desk.values("key", "pa") == ["pager"]
    assert desk.found("key", "alias.") == {"alias.latest": "log -n 1"}
    assert desk.found("alias", "la") == {"latest": "log -n 1"}


def test_models_and_tools_are_those_of_the_session(desk: Desk) -> None:
    desk.add(desk.begin().user("hi").assistant("yes").result("done", tool="bash").result("done", tool="read"))

    assert desk.values("model") == ["acme/one"]
    assert desk.values("tool") == ["read", "bash"]


# Whatever happens.


@pytest.mark.parametrize(
    "label",
    [
        pytest.param("red\x1b[31m", id="an escape sequence"),
        pytest.param("two\nlines", id="a newline"),
        pytest.param("a\tb", id="a tab"),
        pytest.param("\u202egood", id="a bidi override"),
        pytest.param("-d", id="an option"),
        pytest.param(7, id="a number"),
    ],
)
def test_what_cannot_be_typed_is_not_offered(desk: Desk, label: object) -> None:
    desk.add(desk.begin().user("hi").label(label))

    assert desk.values("label") == []


def test_what_is_no_text_is_not_offered(desk: Desk) -> None:
    line = '{"type":"label","id":"x","parentId":"0001beef","targetId":"0001beef","label":"\\ud800"}'
    desk.add(desk.begin().user("hi").raw(line))

    assert desk.values("label") == []


def test_a_description_is_one_harmless_line(desk: Desk) -> None:
    desk.add(desk.begin().user("a\tb\x1b[31m \u202e" + "x" * 100))

    [about] = desk.found("rev", "0001").values()

    assert about == "user: a b␛[31m <U+202E>" + "x" * (60 - 1 - len("user: a b␛[31m <U+202E>")) + "…"


@pytest.mark.parametrize(
    "words",
    [
        pytest.param([], id="nothing"),
        pytest.param(["rev"], id="no prefix"),
        pytest.param(["nonsense", ""], id="an unknown kind"),
        pytest.param(["-s"], id="an option without a value"),
        pytest.param(["-s", "nowhere", "rev", ""], id="no such session"),
        pytest.param(["-C", "/nowhere", "rev", ""], id="no such directory"),
        pytest.param(["-s", "{desk}/broken.jsonl", "rev", ""], id="no session at all"),
        pytest.param(["rev", "nowhere:"], id="no such session before the colon"),
    ],
)
def test_what_goes_wrong_is_silent(desk: Desk, capfd: pytest.CaptureFixture[str], words: list[str]) -> None:
    (desk.home / "broken.jsonl").write_text("no session", encoding="utf-8")

    code = complete.main([word.replace("{desk}", str(desk.home)) for word in words])

    assert (code, *capfd.readouterr()) == (0, "", "")


def test_looking_changes_nothing(desk: Desk) -> None:
    desk.add(desk.begin().user("hi").label("good").without_final_newline())

    with unchanged(desk.home):
        for kind in complete.FINDERS:
            desk.values(kind)


def test_neither_click_nor_rich_is_loaded(desk: Desk) -> None:
    desk.add(desk.begin().user("hi"))
    asked = (
        "import sys; from pisess_cli.complete import FINDERS, main;"
        "[main([kind, '']) for kind in FINDERS];"
        "sys.exit(bool({'click', 'rich', 'subprocess'} & sys.modules.keys()))"
    )

    done = subprocess.run(
        [sys.executable, "-c", asked],
        env=os.environ | desk.environment,
        cwd=desk.project,
        check=False,
        capture_output=True,
    )

    assert done.returncode == 0
    assert b"0001beef" in done.stdout
