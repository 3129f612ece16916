"""What a TAB makes of a line in the real shells."""

import pytest

from shells.conftest import Desk, Shell

pytestmark = pytest.mark.shells


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        pytest.param("pisess checko", ["checkout"], id="a command"),
        pytest.param("pisess -q checko", ["-q", "checkout"], id="a command behind a global option"),
        pytest.param("pisess -C .. checko", ["-C", "..", "checkout"], id="a command behind an option's value"),
        pytest.param("pisess log --onel", ["log", "--oneline"], id="an option"),
        pytest.param("pisess log HEAD --onel", ["log", "HEAD", "--oneline"], id="an option behind an argument"),
        pytest.param("pisess log --no-pa", ["log", "--no-pager"], id="a global option behind the command"),
        pytest.param("pisess --vers", ["--version"], id="an option of pisess itself"),
        pytest.param("pisess --color al", ["--color", "always"], id="a choice"),
        pytest.param("pisess --color=al", ["--color=always"], id="a choice behind ="),
        pytest.param("pisess log --type compac", ["log", "--type", "compaction"], id="a type"),
        pytest.param("pisess log --role bash", ["log", "--role", "bashExecution"], id="a role"),
    ],
)
def test_what_is_known_without_a_session_completes_without_starting_python(
    desk: Desk, shell: Shell, line: str, completed: list[str]
) -> None:
    desk.program("pisess", f"touch {desk.home}/started")

    assert shell.complete(line) == ["pisess", *completed]
    assert not (desk.home / "started").exists()


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        pytest.param("pisess show 0001", ["show", "0001beef"], id="an entry"),
        pytest.param("pisess show HE", ["show", "HEAD"], id="HEAD"),
        pytest.param("pisess show first", ["show", "first"], id="not a label of another session"),
        pytest.param("pisess show -s @2 first", ["show", "-s", "@2", "first-question"], id="a label of -s"),
        pytest.param("pisess --session=@2 show first", ["--session=@2", "show", "first-question"], id="of --session="),
        pytest.param("pisess show @2:first", ["show", "@2:first-question"], id="a label behind SESSION:"),
        pytest.param("pisess log ROOT..HE", ["log", "ROOT..HEAD"], id="the end of a range"),
        pytest.param("pisess show 'HEAD^{bash", ["show", "HEAD^{bashExecution}"], id="a role behind ^{"),
        pytest.param("pisess label new HE", ["label", "new", "HEAD"], id="the second argument"),
        pytest.param("pisess branch --at HE", ["branch", "--at", "HEAD"], id="an option's revision"),
        pytest.param("pisess label -d first", ["label", "-d", "first"], id="a label to take away"),
        pytest.param("pisess continue 0a", ["continue", "0a000000-other"], id="a session's id"),
        pytest.param("pisess -s pars", ["-s", "parser work"], id="a session's name, spaces and all"),
        pytest.param("pisess -s sess", ["-s", "sess"], id="no session"),
        pytest.param("pisess lat", ["latest"], id="an alias"),
    ],
)
def test_a_value_completes(shell: Shell, line: str, completed: list[str]) -> None:
    assert shell.complete(line) == ["pisess", *completed]


def test_a_label_with_spaces_completes_where_a_label_is_asked_for(desk: Desk, shell: Shell) -> None:
    assert shell.complete("pisess label 'good e") == ["pisess", "label", "good enough"]


def test_a_file_completes_where_a_file_is_asked_for(shell: Shell) -> None:
    assert shell.complete("pisess compact -F summ") == ["pisess", "compact", "-F", "summary.md"]


def test_a_directory_completes_where_a_directory_is_asked_for(shell: Shell) -> None:
    *words, directory = shell.complete("pisess -C no")

    assert words == ["pisess", "-C"]
    assert directory.rstrip("/") == "notes"


def test_entries_are_offered_with_their_first_words(shell: Shell) -> None:
    shell.offers("pisess show 000", "user: fix the parser")


def test_sessions_are_offered_with_their_names(shell: Shell) -> None:
    shell.offers("pisess -s @", "parser work")


def test_options_are_offered_with_what_they_do(shell: Shell) -> None:
    if shell.name == "bash":
        shell.offers("pisess log --gr", "--graph")
        return
    shell.offers("pisess log --", "Draw the branches beside the entries")


def test_what_cannot_be_looked_up_says_nothing(desk: Desk, shell: Shell) -> None:
    for file in desk.sessions.iterdir():
        file.unlink()

    assert shell.complete("pisess show go") == ["pisess", "show", "go"]


def test_bash_adds_what_all_values_have_in_common_and_no_description(desk: Desk) -> None:
    bash = Shell("bash", desk)

    assert bash.complete("pisess show 00") == ["pisess", "show", "000"]
    bash.close()
