"""The words that decide in a region: the contract's table, row by row."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.signals import Signal, first_signal, normal, whole
from store.model import Verdict


def decides(text: str) -> tuple[Verdict | None, str]:
    signal = first_signal(normal(text), within=400)
    return (None, "") if signal is None else (signal.verdict, signal.words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("GO", "GO"),
        ("GO.", "GO"),
        ("(GO)", "GO"),
        ("It's a “GO”!", "GO"),
        ("✅GO", "GO"),
        ("Decision=GO", "GO"),
        ("good to GO", "GO"),
        ("ＧＯ", "GO"),
        ("GO です", "GO"),
        ("go, go, GO", "GO"),
        ("GO\nNO", "GO"),
        ("no\nGO", "GO"),
        ("No. GO", "GO"),
        ("I approve", "approve"),
        ("APPROVED", "APPROVED"),
        ("Accept", "Accept"),
        ("is accepted", "accepted"),
        ("all tests pass", "pass"),
        ("the build passes", "passes"),
        ("12 passed", "passed"),
        ("lgtm", "lgtm"),
        ("a first pass, a second pass: LGTM", "LGTM"),
        ("not only approved but praised", "approved"),
        ("I did not find a bug on the first pass. Approved", "Approved"),
        ("I do not see any trouble, approved", "approved"),
        ("I do not see any trouble and approve", "approve"),
        ("failure-free, fail-fast: GO", "GO"),
        ("GO / NO-GO: GO", "GO"),
        ("PASS or FAIL? PASS", "PASS"),
        ("approved / LGTM", "approved / LGTM"),
    ],
)
def test_what_accepts(text: str, words: str) -> None:
    assert decides(text) == (Verdict.ACCEPTED, words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("NO-GO", "NO-GO"),
        ("no go", "no go"),
        ("No Go-ahead", "No Go"),
        ("NO–GO", "NO–GO"),
        ("NO‑GO", "NO-GO"),
        ("NO - GO", "NO - GO"),
        ("reject", "reject"),
        ("REJECTED", "REJECTED"),
        ("REJECTEDです", "REJECTED"),
        ("fail", "fail"),
        ("failed", "failed"),
        ("it fails", "fails"),
        ("a failure", "failure"),
        ("3 failures", "failures"),
        ("build-failed", "failed"),
        ("Changes requested", "Changes requested"),
        ("request changes", "request changes"),
        ("requesting changes", "requesting changes"),
        ("needs changes", "needs changes"),
        ("REQUEST_CHANGES", "REQUEST_CHANGES"),
        ("not approved", "not approved"),
        ("NOT_APPROVED", "NOT_APPROVED"),
        ("not-accepted", "not-accepted"),
        ("not “approved”", "not “approved"),
        ("never passes", "never passes"),
        ("cannot approve", "cannot approve"),
        ("can’t approve", "can't approve"),
        ("cant approve", "cant approve"),
        ("can not accept", "can not accept"),
        ("isn't accepted", "isn't accepted"),
        ("doesnʼt pass", "doesn't pass"),
        ("not GO", "not GO"),
        ("not a pass", "not a pass"),
        ("not yet fully approved", "not yet fully approved"),
        ("cannot in good conscience approve", "cannot in good conscience approve"),
        ("cannot, in good conscience, approve", "cannot, in good conscience, approve"),
        ("do not merge until tests pass", "not merge until tests pass"),
        ("unable to approve", "unable to approve"),
        ("neither approved nor accepted", "neither approved"),
        ("GO or NO-GO? NO-GO", "NO-GO"),
        ("FAILED/REJECTED", "FAILED/REJECTED"),
        ("REJECTED: cannot run; otherwise GO", "REJECTED"),
    ],
)
def test_what_rejects(text: str, words: str) -> None:
    assert decides(text) == (Verdict.REJECTED, words)


@pytest.mark.parametrize("can", ["cannot", "can't", "can’t", "could not", "couldn't", "unable to", "CANNOT"])
@pytest.mark.parametrize(
    "verb",
    ["run", "test", "verify", "check", "review", "build", "start", "access", "reproduce", "complete", "proceed"],
)
def test_what_blocks(can: str, verb: str) -> None:
    assert decides(f"I {can} {verb} it, so it is not approved")[0] is Verdict.BLOCKED
    assert decides(f"I {can} even {verb} that the tests pass")[0] is Verdict.BLOCKED


def test_the_word_blocked_blocks() -> None:
    assert decides("Blocked: GO later") == (Verdict.BLOCKED, "Blocked")
    assert decides("unblocked") == (None, "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "go",
        "Go",
        "gO",
        "Go ahead",
        "GO AHEAD",
        "GO-AHEAD",
        "GOing",
        "GO_NOW",
        "GO's",
        "GO.mod",
        "GO/NO-GO",
        "GO | NO-GO",
        "PASS / FAIL",
        "/approve",
        "approve()",
        "accept.py",
        "@accept",
        "--pass",
        "PASS-through",
        "bypass",
        "passport",
        "unaccepted",
        "acceptable",
        "approval",
        "disapproved",
        "failover",
        "rejection",
        "GOです",
        "не GOдно",
        "GO\u0301",
        "on the first pass",
        "a pass",
        "the passed ones",
        "2nd pass",
        "first-pass review",
        "a quick pass",
        "request a change",
        "cannot say",
        "blocking",
        "running",
    ],
)
def test_what_decides_nothing(text: str) -> None:
    assert decides(text) == (None, "")


@pytest.mark.parametrize("text", ["approved or rejected? rejected", "rejected, would pass otherwise", "GOOD, rejected"])
def test_the_earliest_decides(text: str) -> None:
    assert decides(text) == (Verdict.REJECTED, "rejected")


@given(
    st.sampled_from(["not", "never", "cannot", "can't", "isn’t", "won't", "Not"]),
    st.lists(st.sampled_from(["be", "yet", "fully", "this", "(really)", "判定"]), max_size=4),
    st.sampled_from(["approved", "accept", "passes", "GO", "LGTM"]),
    st.sampled_from(["", "x ", "This does, however, "]),
)
def test_a_denied_word_never_accepts(denial: str, gap: list[str], word: str, before: str) -> None:
    assert decides(before + " ".join([denial, *gap, word]))[0] is Verdict.REJECTED


@given(st.text(), st.integers(0, 60))
def test_a_signal_lies_within_its_window(text: str, within: int) -> None:
    text = normal(text + " GO NO-GO not quite approved")
    signal = first_signal(text, within=within)
    assert signal is None or signal.words in text[:within]


def test_what_runs_over_the_window_does_not_hide_what_lies_in_it() -> None:
    text = "not to stay blocked yet approve"
    assert first_signal(text, within=len(text)) == Signal(verdict=Verdict.REJECTED, words=text)
    assert first_signal(text, within=len(text) - 1) == Signal(verdict=Verdict.BLOCKED, words="blocked")


@given(st.text())
def test_the_normal_form_is_stable(text: str) -> None:
    assert normal(normal(text)) == normal(text)


def test_what_is_one_signal_and_nothing_else() -> None:
    assert whole(" GO ") is Verdict.ACCEPTED
    assert whole("cannot run") is Verdict.BLOCKED
    assert (whole("GO!"), whole("reject()"), whole("")) == (None, None, None)
