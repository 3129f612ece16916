"""Man pages and completions: current, complete, and well-formed."""

import inspect
import os
import re
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from pisess_cli import __version__
from pisess_cli.cli import COMMANDS, main
from pisess_cli.docs import RELEASED, TOPICS, __main__, man, roff
from pisess_cli.docs.values import value_of
from pisess_cli.options import global_options

ROOT = Path(__file__).parents[2]
GLOBAL_NAMES = {name for option in global_options() for name in option.opts} | {"-h", "--help"}
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "FILES", "ENVIRONMENT", "EXIT STATUS", "SEE ALSO"]


def command_of(name: str) -> click.Command:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return command


def own_options(name: str) -> list[click.Option]:
    options = [parameter for parameter in command_of(name).params if isinstance(parameter, click.Option)]
    return [option for option in options if not option.hidden and not GLOBAL_NAMES.issuperset(option.opts)]


OPTIONS = [
    pytest.param(command, name, id=f"{command} {name}")
    for command in COMMANDS
    for option in own_options(command)
    for name in (*option.opts, *option.secondary_opts)
]
PAGES = sorted((ROOT / "man").iterdir())
by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def page_of(command: str) -> str:
    return (ROOT / "man" / f"pisess-{command}.1").read_text(encoding="utf-8")


def script(name: str) -> str:
    return (ROOT / "completions" / name).read_text(encoding="utf-8")


def needed(program: str) -> str:
    """The program's path; without it the test is skipped, in CI it fails."""
    found = shutil.which(program)
    if found is None:
        reason = f"{program} is not installed"
        pytest.fail(reason, pytrace=False) if os.environ.get("CI") else pytest.skip(reason)
    return found


# Current.


def test_what_is_generated_is_current() -> None:
    assert __main__.stale(ROOT) == []


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(__main__, "ROOT", tmp_path)
    assert __main__.main([]) == 0
    return tmp_path


def test_what_was_just_written_is_current(written: Path) -> None:
    assert __main__.main(["--check"]) == 0


@pytest.mark.parametrize("name", ["man/pisess-log.1", "completions/_pisess"])
def test_a_changed_file_is_out_of_date(written: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    (written / name).write_text("something else", encoding="utf-8")

    assert __main__.main(["--check"]) == 1
    assert name in capsys.readouterr().err


def test_a_missing_file_is_out_of_date(written: Path) -> None:
    (written / "man" / "pisess.1").unlink()

    assert __main__.main(["--check"]) == 1


def test_the_page_of_a_command_that_is_gone_is_out_of_date_and_is_taken_away(written: Path) -> None:
    gone = written / "man" / "pisess-gone.1"
    gone.write_text("", encoding="utf-8")

    assert __main__.main(["--check"]) == 1
    assert __main__.main([]) == 0
    assert not gone.exists()


def test_pages_carry_the_version_and_the_day_it_was_released() -> None:
    assert f'.TH PISESS 1 {RELEASED} "pisess {__version__}"' in (ROOT / "man" / "pisess.1").read_text(encoding="utf-8")


def test_the_day_of_the_release_is_that_of_the_changelog() -> None:
    days = re.findall(
        rf"^## \[{re.escape(__version__)}\] - (\S+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )

    assert days in ([], [RELEASED])


# Complete.


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_in_every_document(command: str) -> None:
    assert f".BR pisess\\-{roff.literal(command)} (1)" in (ROOT / "man" / "pisess.1").read_text(encoding="utf-8")
    assert re.search(rf"_pisess_commands='[^']*\b{command}\b", script("pisess.bash"))
    assert f"    ({command})\n" in script("_pisess")
    assert f" -a {command} -d " in script("pisess.fish")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_has_a_summary_a_description_and_examples_of_its_own_use(command: str) -> None:
    page = page_of(command)

    assert COMMANDS[command]
    for section in SECTIONS:
        assert f"\n.SH {section}\n" in page
    assert f"pisess {roff.literal(command)}" in page.partition("\n.SH EXAMPLES\n")[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_sections_of_a_page_stand_in_the_usual_order(command: str) -> None:
    found = [title for title in re.findall(r"^\.SH (.*)$", page_of(command), re.MULTILINE) if title in SECTIONS]

    assert found == SECTIONS


@pytest.mark.parametrize(("command", "name"), OPTIONS)
def test_an_option_is_in_help_and_man_page(command: str, name: str) -> None:
    context = click.Context(command_of(command), info_name=command)

    assert re.search(rf"^  (?:\S+(?:,| /) )*{re.escape(name)}\b", command_of(command).get_help(context), re.MULTILINE)
    assert re.search(rf"^\.TP\n(?:.*, )?{re.escape(roff.bold(name))}[, \n]", page_of(command), re.MULTILINE)


@pytest.mark.parametrize(("command", "name"), OPTIONS)
def test_an_option_is_in_all_completions(command: str, name: str) -> None:
    [bash] = re.findall(rf"^        {command}\) options='(.*)' ;;$", script("pisess.bash"), re.MULTILINE)
    [zsh] = re.findall(rf"^    \({command}\)\n(.*?)^      ;;$", script("_pisess"), re.MULTILINE | re.DOTALL)
    fish = re.findall(rf"^complete -c pisess -n '__pisess_at {command}' (.*)$", script("pisess.fish"), re.MULTILINE)
    in_fish = f"-l {name[2:]} " if name.startswith("--") else f"-s {name[1:]} "

    assert name in bash.split()
    assert re.search(rf"^        '(?:\([^)]*\)|\*)?{re.escape(name)}[+=]?\[", zsh, re.MULTILINE)
    assert any(in_fish in line for line in fish)


@pytest.mark.parametrize("name", sorted(GLOBAL_NAMES | {"--version"}))
def test_a_global_option_is_in_the_main_page_and_all_completions(name: str) -> None:
    assert roff.bold(name) in (ROOT / "man" / "pisess.1").read_text(encoding="utf-8")
    assert re.search(rf"^        ''\) options='[^']*(?<![\w-]){name}(?![\w-])", script("pisess.bash"), re.MULTILINE)
    assert re.search(rf"^    '(?:\([^)]*\))?{re.escape(name)}[+=]?\[", script("_pisess"), re.MULTILINE)
    assert (f" -l {name[2:]} " if name.startswith("--") else f" -s {name[1:]} ") in script("pisess.fish")


@pytest.mark.parametrize(("command", "name"), OPTIONS)
def test_an_option_is_used_in_a_test_of_its_command(command: str, name: str) -> None:
    spellings = [(*option.opts, *option.secondary_opts) for option in own_options(command)]
    names = next(names for names in spellings if name in names)
    folders = [ROOT / "tests" / folder for folder in ("commands", "cases", "interop")]
    tests = [path.read_text(encoding="utf-8") for folder in folders for path in folder.glob("test_*.py")]
    about = "\n".join(text for text in tests if re.search(rf"[\"' ]{command}[\"' ]", text))

    assert any(re.search(rf"[\"' ]{re.escape(spelling)}[\"' =]", about) for spelling in names)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_metavar_says_how_it_is_completed(command: str) -> None:
    for parameter in command_of(command).params:
        if not (isinstance(parameter, click.Option) and (parameter.is_flag or parameter.count)):
            assert value_of(parameter).kind


def test_every_metavar_of_an_unknown_kind_is_asked_about() -> None:
    with pytest.raises(LookupError, match="WHATEVER"):
        value_of(click.Option(["--what"], metavar="WHATEVER"))


# Well-formed.


@by_page
def test_mandoc_finds_nothing_wrong_with_a_page(page: Path) -> None:
    done = subprocess.run(
        [needed("mandoc"), "-T", "lint", "-W", "warning", page], check=False, capture_output=True, text=True
    )

    assert (done.returncode, done.stdout) == (0, "")


@by_page
def test_what_a_page_refers_to_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8").replace("\\-", "-").replace("\\fR", "")
    references = re.findall(r"\b(pisess(?:-[a-z-]+)?) ?\(([1-8])\)", text)

    assert references
    for name, section in references:
        assert (ROOT / "man" / f"{name}.{section}").is_file(), name


@pytest.mark.parametrize(("shell", "name"), [("bash", "pisess.bash"), ("zsh", "_pisess"), ("fish", "pisess.fish")])
def test_a_shell_can_read_its_completions(shell: str, name: str) -> None:
    done = subprocess.run(
        [needed(shell), "-n", ROOT / "completions" / name], check=False, capture_output=True, text=True
    )

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(".dots", r"\&.dots", id="a line that would be a macro"),
        pytest.param("'quote'", r"\(aqquote\(aq", id="quotes"),
        pytest.param(r"a\b", r"a\eb", id="a backslash"),
        pytest.param("HEAD~2 ^", r"HEAD\(ti2 \(ha", id="signs that troff replaces"),
        pytest.param("with -m or --json, twenty-one", r"with \-m or \-\-json, twenty-one", id="the dashes of options"),
        pytest.param("`A..B` is", r"\fBA..B\fR is", id="code"),
        pytest.param("née …", r"n\[u00E9]e \[u2026]", id="beyond ASCII"),
        pytest.param("two\n  lines", "two lines", id="line ends"),
        pytest.param("a *star* <b> & _c_", "a *star* <b> & _c_", id="nothing else is marked"),
    ],
)
def test_a_help_text_becomes_a_line_for_man(text: str, expected: str) -> None:
    assert roff.inline(text) == expected


def test_a_fragment_becomes_sections_for_man() -> None:
    fragment = """
        # FIRST

        One *stands*
        .for **other**(1).

        Two.

            $ code -x

        # SECOND

        `key`, *X*
        : What it is.

          More of it.

        ## Below

        - item
        """

    found = roff.sections(inspect.cleandoc(fragment))

    assert list(roff.render(found["FIRST"])) == [
        r"One \fIstands\fR",
        r"\&.for \fBother\fR(1).",
        ".PP",
        "Two.",
        ".PP",
        *[".RS 4", ".EX", r"$ code \-x", ".EE", ".RE"],
    ]
    assert list(roff.render(found["SECOND"])) == [
        *[".TP", r"\fBkey\fR, \fIX\fR", "What it is.", ".IP", "More of it."],
        *[".SS Below", r".IP \(bu 2", "item"],
    ]


def test_a_fragment_replaces_a_common_text_and_adds_to_what_is_generated() -> None:
    pages = dict(man.pages())
    common = "\n.SH EXIT STATUS\n.TP\n\\fB0\\fR\nDone.\n"

    assert common in pages["pisess-log.1"]
    assert common not in pages["pisess-continue.1"]
    assert "Show the entries of a branch" in pages["pisess-log.1"]
    assert "stands beside the entry that it forked off from" in pages["pisess-log.1"]


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_has_a_page_in_its_section(topic: str) -> None:
    page = (ROOT / "man" / f"pisess-{topic}.{TOPICS[topic]}").read_text(encoding="utf-8")

    assert f"pisess\\-{topic} \\- " in page or f"pisess-{topic} - " in page
