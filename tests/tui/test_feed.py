from __future__ import annotations

import queue
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.message import Message

from harness.lock import Lock
from store.paths import Places
from tests.tui.building import Building
from tui.feed import Feed, News, RecordLost


class Ears:
    """Whoever is told."""

    def __init__(self, places: Places) -> None:
        self.messages: queue.Queue[Message] = queue.Queue()
        self.feed = Feed(places, self.messages.put)
        self.feed.live = True

    def next(self) -> Message:
        """The next message; it counts as taken up."""
        message = self.messages.get(timeout=20)
        self.feed.heard()
        return message


@pytest.fixture
def places(tmp_path: Path) -> Places:
    found = Places.of_environment({"MIDWATCH_HOME": str(tmp_path / "home")})
    found.prepare()
    return found


@pytest.fixture
def ears(places: Places) -> Iterator[Ears]:
    made = Ears(places)
    made.feed.start()
    yield made
    made.feed.stop()


def test_a_commit_by_another_connection_is_told_with_the_newest_event(places: Places) -> None:
    building = Building(places)
    building.launch()
    made = Ears(places)
    made.feed.start()
    first = made.next()
    assert isinstance(first, News)
    building.launch()
    second = made.next()
    made.feed.stop()
    assert isinstance(second, News)
    assert second.seq > first.seq > 0


def test_a_record_that_comes_to_be_is_told(places: Places, ears: Ears) -> None:
    first = ears.next()
    assert isinstance(first, News)
    assert first.seq == 0
    Building(places).launch()
    while isinstance(message := ears.next(), News) and not message.seq:
        pass
    assert isinstance(message, News)


def test_a_watch_that_comes_is_told_though_nothing_was_committed(places: Places, ears: Ears) -> None:
    first = ears.next()
    assert isinstance(first, News)
    assert not first.watched
    lock = Lock(places.watch_lock)
    try:
        if not lock.take():
            pytest.fail("the lock is not free")
        # The feed asks from this very process, for which an open file's lock is another's.
        second = ears.next()
    finally:
        lock.close()
    assert isinstance(second, News)
    assert second.watched


def test_nothing_is_said_before_the_last_message_was_taken_up(places: Places) -> None:
    building = Building(places)
    made = Ears(places)
    made.feed.start()
    made.messages.get(timeout=20)
    for _ in range(20):
        building.launch()
    with pytest.raises(queue.Empty):
        made.messages.get(timeout=0.5)
    made.feed.heard()
    assert isinstance(made.messages.get(timeout=20), News)
    made.feed.stop()


def test_a_record_that_is_damaged_is_said_once_in_a_sentence(places: Places) -> None:
    places.record.write_bytes(b"no record at all" * 100)
    made = Ears(places)
    made.feed.start()
    lost = made.next()
    assert isinstance(lost, RecordLost)
    assert "damaged" in lost.sentence
    with pytest.raises(queue.Empty):
        made.messages.get(timeout=2.5)
    made.feed.stop()


def test_news_may_be_replaced_only_by_news() -> None:
    assert News(1, watched=True).can_replace(News(0, watched=True))
    assert not News(1, watched=True).can_replace(RecordLost("gone"))
