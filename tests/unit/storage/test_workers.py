import os
import threading
from collections.abc import Iterator

import pytest

from pisess_cli.core.storage import workers
from pisess_cli.core.storage.workers import process_count, spread

HERE = os.getpid()


def squares(number: int) -> Iterator[int]:
    yield from (number * number, -number * number)


def spread_lists(processes: int, items: list[int]) -> list[list[int]]:
    return [list(results) for results in spread(squares, items, processes)]


@pytest.mark.parametrize("processes", [1, 2, 3, 8])
def test_results_come_in_the_order_of_the_items(processes: int) -> None:
    assert spread_lists(processes, [3, 1, 2]) == [[9, -9], [1, -1], [4, -4]]


def test_nothing_comes_of_nothing() -> None:
    assert spread_lists(2, []) == []


def test_an_item_may_give_nothing() -> None:
    assert [list(results) for results in spread(range, [2, 0, 1], 2)] == [[0, 1], [], [0]]


def test_the_work_is_done_by_others() -> None:
    found = [pid for results in spread(lambda _: [os.getpid()], [1, 2], 2) for pid in results]

    assert len({*found, HERE}) == 3


def test_what_another_process_fails_at_is_done_here() -> None:
    def work(item: int) -> Iterator[tuple[int, bool]]:
        yield item, True
        if os.getpid() != HERE:
            raise MemoryError
        yield item, False

    found = [list(results) for results in spread(work, [1, 2, 3], 2)]

    assert found == [[(item, True), (item, False)] for item in (1, 2, 3)]


def test_what_fails_here_too_raises() -> None:
    def work(item: int) -> Iterator[int]:
        raise ValueError(item)
        yield 0

    with pytest.raises(ValueError, match="1"):
        list(map(list, spread(work, [1, 2], 2)))


def test_the_processes_end_with_the_iterator() -> None:
    def endless(_: int) -> Iterator[int]:
        while True:
            yield os.getpid()

    results = spread(endless, [1, 2], 2)
    child = next(next(results))
    results.close()

    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_no_more_processes_than_the_system_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise OSError

    monkeypatch.setattr(os, "fork", refuse)

    assert spread_lists(2, [1, 2]) == [[1, -1], [4, -4]]


def test_little_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)

    assert process_count(1_000_000) == 1
    assert process_count(40_000_000) == 2
    assert process_count(10**12) == workers.MOST_PROCESSES


def test_beside_other_threads_all_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "active_count", lambda: 2)

    assert process_count(10**12) == 1
