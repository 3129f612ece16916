import io

import pytest

from pisess_cli.view.progress import Progress
from pisess_cli.view.terminal import Terminal


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_quick_work_shows_no_bar() -> None:
    screen, clock = Screen(), Clock()

    with Progress(10, "reading", screen, clock=clock) as progress:
        clock.seconds += 0.9
        progress.advance(10)

    assert screen.getvalue() == ""


def test_work_of_a_second_shows_a_bar_that_is_gone_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    screen, clock = Screen(), Clock()

    with Progress(10, "reading [all]", screen, clock=clock) as progress:
        clock.seconds += 1
        progress.advance(5)
        shown = screen.getvalue()

    assert "reading [all]" in shown
    assert "50%" in shown
    assert screen.getvalue().endswith("\x1b[2K")


def test_a_hidden_bar_does_not_come_back() -> None:
    screen, clock = Screen(), Clock()
    progress = Progress(10, "reading", screen, clock=clock)

    progress.hide()
    clock.seconds += 10
    progress.advance(5)

    assert (screen.getvalue(), progress.done) == ("", 5)


def test_results_on_the_same_screen_take_the_bar_away() -> None:
    screen, clock = Screen(), Clock()
    terminal = Terminal(stdout=screen, stderr=screen, env={}, use_pager=False)
    progress = terminal.progress(10, "reading", clock=clock)

    clock.seconds += 1
    progress.advance(1)
    terminal.line("a result")
    progress.advance(1)

    assert screen.getvalue().endswith("a result\n")


@pytest.mark.parametrize(("stderr", "quiet"), [(io.StringIO(), False), (Screen(), True)], ids=["in a pipe", "quiet"])
def test_no_bar_in_a_pipe_nor_with_quiet(stderr: io.StringIO, quiet: bool) -> None:
    clock = Clock()
    terminal = Terminal(stdout=io.StringIO(), stderr=stderr, env={}, quiet=quiet)

    with terminal.progress(10, "reading", clock=clock) as progress:
        clock.seconds += 10
        progress.advance(5)

    assert stderr.getvalue() == ""
