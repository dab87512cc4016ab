"""The table of endings (A5), row by row."""

from __future__ import annotations

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.ending import AttemptFacts, Ending, ending
from harness.reports import ErrorKind, Failure, Result
from store.model import Reason, State, Verdict

GOOD = Result(ok=True, text="done")
BAD = Result(ok=False, error="Credit balance is too low")
DENIED = Result(ok=True, denied=("Bash", "Write", "Bash"))
FAILURE = Failure(kind=ErrorKind.AUTH, message="401 invalid key")
EXITS = [(0, None), (1, None), (143, None), (None, 9), (None, None)]


@pytest.mark.parametrize("result", [None, GOOD, BAD, DENIED])
@pytest.mark.parametrize(("code", "number"), EXITS)
@pytest.mark.parametrize("reason", [Reason.OPERATOR, Reason.BUDGET, Reason.DEADLINE, Reason.OUTPUT_LIMIT])
def test_what_was_asked_to_end_is_stopped(
    reason: Reason, code: int | None, number: int | None, result: Result | None
) -> None:
    facts = AttemptFacts(asked=reason, code=code, signal=number, result=result, tidy_up=True, interrupted_near=True)
    found = ending(facts)
    assert (found.state, found.reason, found.verdict) == (State.STOPPED, reason, None)
    assert found.detail is not None and "after it was asked to end" in found.detail


def test_a_request_after_done_was_committed_changes_nothing() -> None:
    facts = AttemptFacts(asked=Reason.OPERATOR, done_committed=True, signal=15, result=GOOD)
    assert ending(facts) == Ending(state=State.DONE)


@pytest.mark.parametrize(("code", "number"), EXITS)
def test_a_good_result_stands_when_we_only_tidied_up(code: int | None, number: int | None) -> None:
    assert ending(AttemptFacts(tidy_up=True, code=code, signal=number, result=GOOD)) == Ending(state=State.DONE)


@pytest.mark.parametrize(
    ("code", "number", "said"),
    [
        (None, 15, "was ended by SIGTERM (15)"),
        (None, 9, "was ended by SIGKILL (9)"),
        (143, None, "exited with status 143"),
        (130, None, "exited with status 130"),
        (None, None, "ended in a way that nobody saw"),
    ],
)
@pytest.mark.parametrize("by_exit", [True, False])
def test_a_signal_near_the_end_of_the_watch_is_an_interruption(
    code: int | None, number: int | None, said: str, by_exit: bool
) -> None:
    facts = AttemptFacts(
        code=code, signal=number, interrupted_near=True, by_exit=by_exit, votes=True, gives_result=True
    )
    found = ending(facts)
    assert (found.state, found.reason) == (State.STOPPED, Reason.INTERRUPTED)
    assert found.detail == f"it {said} when the watch or the system ended"


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        (AttemptFacts(interrupted_near=True, signal=15, result=GOOD), State.DONE),
        (AttemptFacts(interrupted_near=True, signal=15, result=BAD), State.FAILED),
        (AttemptFacts(interrupted_near=True, code=0), State.DONE),
        (AttemptFacts(interrupted_near=True, code=0, gives_result=True), State.FAILED),
        (AttemptFacts(interrupted_near=False, code=1), State.FAILED),
        (AttemptFacts(interrupted_near=False, code=143), State.FAILED),
        (AttemptFacts(interrupted_near=False, signal=15), State.FAILED),
    ],
)
def test_what_is_no_interruption(facts: AttemptFacts, state: State) -> None:
    assert ending(facts).state is state


@pytest.mark.parametrize(("code", "number"), EXITS)
@pytest.mark.parametrize("tidy_up", [True, False])
def test_success_with_tools_denied_is_blocked(code: int | None, number: int | None, tidy_up: bool) -> None:
    found = ending(AttemptFacts(code=code, signal=number, result=DENIED, tidy_up=tidy_up))
    assert found == Ending(
        state=State.BLOCKED, detail="tools were denied, with nobody there to allow them: Bash, Write"
    )


def test_success_and_exit_0_is_done() -> None:
    facts = AttemptFacts(code=0, result=GOOD, gives_result=True, failures=(FAILURE,))
    assert ending(facts) == Ending(state=State.DONE)


@pytest.mark.parametrize(
    ("code", "number", "warning"),
    [
        (2, None, "it exited with status 2, though it reported success"),
        (None, 11, "it was ended by SIGSEGV (11), though it reported success"),
        (None, None, "it ended in a way that nobody saw, though it reported success"),
    ],
)
def test_success_and_another_exit_is_done_with_a_warning(code: int | None, number: int | None, warning: str) -> None:
    assert ending(AttemptFacts(code=code, signal=number, result=GOOD)) == Ending(state=State.DONE, warning=warning)


@pytest.mark.parametrize(
    ("facts", "detail"),
    [
        (AttemptFacts(code=0, result=BAD), "it exited with status 0 and reported an error: Credit balance is too low"),
        (
            AttemptFacts(code=1, result=Result(ok=False), failures=(FAILURE,)),
            "it exited with status 1 and reported an error: 401 invalid key",
        ),
        (
            AttemptFacts(code=1, result=Result(ok=False, text="no credit")),
            "it exited with status 1 and reported an error: no credit",
        ),
        (AttemptFacts(code=1, result=Result(ok=False)), "it exited with status 1 and reported an error"),
        (AttemptFacts(signal=9, result=BAD, tidy_up=True), None),
        (AttemptFacts(code=0, gives_result=True), "it exited with status 0 without a result"),
        (
            AttemptFacts(code=0, gives_result=True, failures=(FAILURE,)),
            "it exited with status 0 without a result: 401 invalid key",
        ),
        (AttemptFacts(code=0, failures=(FAILURE,)), "it exited with status 0, but reported an error: 401 invalid key"),
        (AttemptFacts(code=3), "it exited with status 3"),
        (AttemptFacts(code=3, gives_result=True, failures=(FAILURE,)), "it exited with status 3: 401 invalid key"),
        (AttemptFacts(signal=9), "it was ended by SIGKILL (9)"),
        (AttemptFacts(signal=99), "it was ended by signal 99"),
        (AttemptFacts(), "it ended in a way that nobody saw"),
        (
            AttemptFacts(
                code=1,
                failures=(Failure(kind=ErrorKind.USAGE_LIMIT, message="limit reached", resets_at="3am"),),
            ),
            "it exited with status 1: limit reached (resets at 3am)",
        ),
    ],
)
def test_failed_names_what_failed(facts: AttemptFacts, detail: str | None) -> None:
    found = ending(facts)
    assert found.state is State.FAILED
    assert detail is None or found.detail == detail


def test_a_failure_that_the_cli_still_retried_is_not_its_last_word() -> None:
    retrying = Failure(kind=ErrorKind.RATE_LIMIT, message="slow down", retrying=True)
    assert ending(AttemptFacts(code=0, failures=(FAILURE, retrying))) == Ending(state=State.DONE)
    assert ending(AttemptFacts(code=1, failures=(FAILURE, retrying))).detail == "it exited with status 1"


def test_a_long_message_says_what_was_left_out() -> None:
    detail = ending(AttemptFacts(code=0, result=Result(ok=False, error="x" * 5_000))).detail
    assert detail is not None and detail.endswith("x… (3,000 more characters in its journal)")


@pytest.mark.parametrize("code", [0, 1, 7])
def test_a_program_that_said_it_was_blocked_is_blocked(code: int) -> None:
    assert ending(AttemptFacts(code=code, blocked="no network")) == Ending(state=State.BLOCKED, detail="no network")
    assert ending(AttemptFacts(code=code, blocked=" ")).detail == "it could not proceed and gave no reason"
    assert ending(AttemptFacts(signal=9, blocked="no network")).state is State.FAILED


@pytest.mark.parametrize(
    ("code", "reject_on", "expected"),
    [
        (0, (1,), Ending(state=State.DONE, verdict=Verdict.ACCEPTED)),
        (1, (1,), Ending(state=State.DONE, verdict=Verdict.REJECTED)),
        (1, (2, 5), Ending(state=State.FAILED, detail="it exited with status 1")),
        (5, (2, 5), Ending(state=State.DONE, verdict=Verdict.REJECTED)),
        (2, (1,), Ending(state=State.FAILED, detail="it exited with status 2")),
        (0, (0,), Ending(state=State.DONE, verdict=Verdict.ACCEPTED)),
    ],
)
def test_a_command_votes_by_its_exit_status(code: int, reject_on: tuple[int, ...], expected: Ending) -> None:
    assert ending(AttemptFacts(code=code, by_exit=True, votes=True, reject_on=reject_on)) == expected


def test_a_command_that_was_killed_gave_no_vote() -> None:
    found = ending(AttemptFacts(signal=1, by_exit=True, votes=True))
    assert (found.state, found.verdict) == (State.FAILED, None)


def test_a_command_without_a_vote_is_done_at_0_and_failed_otherwise() -> None:
    assert ending(AttemptFacts(code=0, by_exit=True)) == Ending(state=State.DONE)
    assert ending(AttemptFacts(code=1, by_exit=True)) == Ending(state=State.FAILED, detail="it exited with status 1")


@pytest.mark.parametrize("role_votes", [True, False])
def test_an_agent_that_votes_in_words_has_no_verdict_from_its_exit(role_votes: bool) -> None:
    assert ending(AttemptFacts(code=0, votes=role_votes)).verdict is None
    assert ending(AttemptFacts(code=1, votes=role_votes)).state is State.FAILED


RESULTS = st.builds(
    Result,
    ok=st.booleans(),
    text=st.none() | st.text(max_size=5),
    error=st.none() | st.text(max_size=5),
    denied=st.sampled_from([(), ("Bash",)]),
)
FACTS = st.builds(
    AttemptFacts,
    code=st.none() | st.integers(0, 255),
    signal=st.none() | st.sampled_from([one.value for one in signal.Signals]),
    asked=st.none() | st.sampled_from(Reason),
    done_committed=st.booleans(),
    tidy_up=st.booleans(),
    interrupted_near=st.booleans(),
    result=st.none() | RESULTS,
    failures=st.lists(
        st.builds(Failure, kind=st.sampled_from(ErrorKind), message=st.text(max_size=5), retrying=st.booleans()),
        max_size=2,
    ).map(tuple),
    blocked=st.none() | st.text(max_size=5),
    gives_result=st.booleans(),
    by_exit=st.booleans(),
    votes=st.booleans(),
    reject_on=st.lists(st.integers(0, 3)).map(tuple),
)


@given(FACTS)
def test_an_asked_stop_is_never_done(facts: AttemptFacts) -> None:
    if facts.asked is not None and not facts.done_committed:
        assert (ending(facts).state, ending(facts).reason) == (State.STOPPED, facts.asked)
    else:
        assert ending(facts).state is not State.STOPPED or ending(facts).reason is Reason.INTERRUPTED


@given(FACTS)
def test_what_an_ending_always_says(facts: AttemptFacts) -> None:
    found = ending(facts)
    assert found.state in (State.DONE, State.FAILED, State.BLOCKED, State.STOPPED)
    assert (found.reason is not None) == (found.state is State.STOPPED)
    assert (found.state is State.DONE) == (found.detail is None)
    assert found.detail is None or found.detail.strip()
    if found.verdict is not None:
        assert found.state is State.DONE and facts.votes and facts.by_exit and facts.signal is None
    if found.warning is not None:
        assert found.state is State.DONE and (facts.code != 0 or facts.signal is not None)


@given(FACTS)
def test_an_error_is_never_done(facts: AttemptFacts) -> None:
    if facts.result is not None and not facts.result.ok:
        assert ending(facts).state in (State.FAILED, State.STOPPED)
    if facts.result is None and (facts.signal is not None or facts.code is None):
        assert ending(facts).state in (State.FAILED, State.STOPPED)
