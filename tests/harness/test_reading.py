"""What an attempt said becomes few events, and the same sums however its output is cut and however often it is read."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from harness.agents import adapter
from harness.ledger import Ledger
from harness.reading import AttemptReading
from store.events import AttemptNamed, Event, UsageRecorded

TURN = {"report": "turn"}
REPORTS = st.one_of(
    st.just(TURN),
    st.builds(lambda name: {"report": "session", "id": name}, st.sampled_from(["s", "t"])),
    st.fixed_dictionaries(
        {
            "report": st.just("usage"),
            "id": st.sampled_from(["1", "2", None]),
            "model": st.sampled_from(["m", "n", None]),
            "input": st.integers(0, 9),
            "cumulative": st.booleans(),
        }
    ),
    st.just({"odd": 1}),
)


def reading(*, turns: int = 0) -> AttemptReading:
    reader = adapter("command").reader(reports=True)
    return AttemptReading(run="r", agent="a", attempt=1, attempt_id="x", reader=reader, ledger=Ledger(), turns=turns)


class Kept:
    """What a record keeps of these events: each id once, of one request the last, turns as a sum."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self.turns = 0
        self.used: dict[str, int | None] = {}
        self.session: str | None = None

    def keep(self, events: Iterable[Event]) -> None:
        for event in events:
            if event.id in self.ids:
                continue
            self.ids.add(event.id)
            if isinstance(event, UsageRecorded):
                self.turns += event.turns
                if event.counts is not None and event.request is not None:
                    self.used[event.request] = event.counts.input
            elif isinstance(event, AttemptNamed):
                self.session = event.session or self.session

    @property
    def sums(self) -> tuple[int, dict[str, int | None], str | None]:
        return self.turns, self.used, self.session


def lines(reports: Sequence[object]) -> list[bytes]:
    return [json.dumps(one).encode() for one in reports]


def pieces(whole: list[bytes], cuts: list[int]) -> list[list[bytes]]:
    places = sorted({cut % (len(whole) + 1) for cut in cuts} | {0, len(whole)})
    return [whole[start:end] for start, end in itertools.pairwise(places)]


def read(found: AttemptReading, kept: Kept, parts: Iterable[list[bytes]]) -> None:
    for part in parts:
        kept.keep(found.read(part))


CUTS = st.lists(st.integers(0, 60), max_size=6)


@given(st.lists(REPORTS, max_size=40), CUTS, st.integers(0, 6), st.booleans())
def test_read_again_after_a_crash_nothing_counts_twice(
    reports: list[object], cuts: list[int], recorded: int, ended: bool
) -> None:
    whole = lines(reports)
    once = Kept()
    first = reading()
    read(first, once, [[line] for line in whole])
    once.keep(first.end())

    kept = Kept()
    died = reading()
    read(died, kept, pieces(whole, cuts)[: None if ended else recorded])
    if ended:
        kept.keep(died.end())
    for _ in range(2):  # the one that settled it may die as well
        kept.keep(reading(turns=kept.turns).read_to_end(whole))
        assert kept.sums == once.sums


def test_what_comes_together_is_few_events() -> None:
    usage = [{"report": "usage", "id": str(number), "input": 1} for number in range(1_000)]
    found = reading().read(lines([TURN] * 1_000 + usage))
    assert [type(one) for one in found] == [UsageRecorded, UsageRecorded]
    kept = Kept()
    kept.keep(found)
    assert kept.turns == 1_000 and list(kept.used.values()) == [1_000]


def test_a_path_that_no_file_can_have_is_not_listed() -> None:
    found = reading()
    found.read(lines([{"report": "file", "path": "p" * 5_000}, {"report": "file", "path": "fine"}]))
    assert list(found.files) == ["fine"]


def test_lines_that_were_meant_as_reports_are_counted_and_the_first_is_named() -> None:
    found = reading()
    found.read([b"plain words", *lines([TURN, {"report": "blocked"}])])
    assert found.misread == "1 report line not understood, line 3: blocked needs reason"
    found.read(lines([{"report": "text", "words": "x"}, {"odd": 1}]))
    assert found.misread == "2 report lines not understood, first: line 3: blocked needs reason"
    assert found.not_understood == 4


def test_of_lines_that_are_all_understood_nothing_is_said() -> None:
    found = reading()
    found.read([b"plain words", *lines([TURN])])
    assert found.misread is None
