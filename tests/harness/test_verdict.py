"""The verdict reader on whole answers (O6)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.verdict import read
from store.model import Verdict

WINDOW = 400
ACCEPTED, REJECTED, BLOCKED = Verdict.ACCEPTED, Verdict.REJECTED, Verdict.BLOCKED


@pytest.mark.parametrize(
    "answer",
    [
        "## Verdict\nGO",
        "## Verdict\n\nGO",
        "# verdict\nGO",
        "###### VERDICT\nGO",
        "## Verdict ##\nGO",
        "## Verdict:\nGO",
        "## Verdict: ##\nGO",
        "## **Verdict**\nGO",
        "## _Final_ [verdict](#v)\nGO",
        "## 5. Final verdict\nGO",
        "## <a id='v'></a>Verdict\nGO",
        "## **Ver**dict\nGO",
        "## ＶＥＲＤＩＣＴ：\nGO",
        "## 最終 verdict\nGO です",
        "## Вердикт / verdict\nGO",
        "   ## Verdict\nGO",
        "Verdict\n=======\n\nGO",
        "Verdict\n---\nGO",
        "My\nfinal verdict\n---\nGO",
        "prose\n\n## Verdict\nGO\n\n## Notes\nthe rest",
        "- ## Verdict\n  GO",
        "## Verdict\r\n\r\nGO\r\n",
        "## Verdict\rGO",
        "\ufeff## Verdict\nGO",
        "**Verdict:** GO",
        "**Verdict**: GO",
        "**Verdict** GO",
        "**Verdict: GO**",
        "**Verdict：GO**",
        "**Verdict — GO**",
        "**Verdict - GO**",
        "**Verdict:\nGO**",
        "__Final verdict__: GO",
        "***Verdict:*** GO",
        "**_Verdict_:** GO",
        "**FINAL VERDICT:** GO",
        "  **Verdict:** GO",
        "some prose\n**Verdict:** GO",
        "some prose  \n**Verdict:** GO",
        "some prose<br>**Verdict:** GO",
        "- **Verdict:** GO",
        "1. one\n   - two\n     - **Verdict:** GO",
        "## **Verdict:** GO",
        "\t\n-\t**Verdict:**\tGO",
        "## Verdict\n- GO",
        "## Verdict\n1. GO",
        "## Verdict\n**GO**",
        "## Verdict\n[GO](https://example.org/NO-GO)",
        "## Verdict\n[GO][1]\n\n[1]: https://example.org",
        "## Verdict\n| check | result |\n| --- | --- |\n| tests | passed |",
        "## Verdict\nG\u200bO",
        "## Verdict\n&#71;O",
        "## Verdict\n\n---\n\nGO",
        "## Verdict\nGO<!-- fine -->",
        "## Verdict\n- [x] GO\n- [ ] NO-GO",
        "## Verdict\n`GO`",
        "**Verdict:** `GO` — all good",
        "**Verdict: `GO`**",
        "## Verdict\nLGTM",
        "## Verdict\nOn the first pass I saw a bug, now fixed: approved",
    ],
)
def test_an_accepting_answer(answer: str) -> None:
    reading = read(answer)
    assert (reading.verdict, reading.blocked, reading.unread) == (ACCEPTED, None, None)


@pytest.mark.parametrize(
    "answer",
    [
        "## Verdict\nREJECTED",
        "## Verdict\nNO-GO",
        "**Verdict: no-go**",
        "__Final verdict__: no-go",
        "## Verdict\n**NO**-**GO**",
        "## Verdict\nnot\napproved",
        "## Verdict\nI can’t approve this.",
        "## Verdict\nNot **approved**.",
        "## Verdict\n~~APPROVED~~ REJECTED",
        "## Verdict\n- [ ] GO\n- [x] NO-GO",
        "## Verdict\n[ ] GO\n[x] NO-GO",
        "## Verdict\n☐ GO  \n☑ NO-GO",
        "## Verdict\n<!-- GO -->\nREJECTED",
        "## Verdict\n<b>REJECTED</b>",
        "## Verdict\n> GO, says the developer\n\nREJECTED",
        "## Verdict\n```\n12 passed\n```\nREJECTED",
        "## Verdict\n    12 passed\n\nREJECTED",
        "## Verdict\n`REJECTED`",
        "## Verdict\nIt is `REJECTED`; the lint passes.",
        "## Verdict\nThe `GO` button is broken. REJECTED",
        "## Verdict\n![passed](badge.svg) REJECTED",
        "## Verdict\nREJECTED\n\n## Next\nGO once that is fixed",
        "## Verdict\nGO\n\n## Second verdict\nREJECTED",
        "## Verdict\nREJECTED\n\n## Second verdict\nGO",
        "## Verdict\ncannot run it\n\n**Verdict:** rejected",
        "**Verdict:** GO\n**Security verdict:** REJECTED",
        "判定\n\n## Verdict\nREJECTEDです",
    ],
)
def test_a_rejecting_answer(answer: str) -> None:
    assert read(answer).verdict is REJECTED


@pytest.mark.parametrize(
    "answer",
    [
        "## Verdict\nBLOCKED",
        "## Verdict\ncould not run the tests",
        "## Verdict\nI am unable to reproduce it, the rest passes",
        "## Verdict\nGO\n\n**Verdict:** blocked",
    ],
)
def test_a_blocked_verdict(answer: str) -> None:
    reading = read(answer)
    assert (reading.verdict, reading.blocked) == (BLOCKED, None)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "GO",
        "Verdict: GO",
        "The verdict is GO.",
        "All tests pass, approved, GO",
        "## Verdict: GO",
        "## Verdicts\nGO",
        "## verdict of the day\nGO",
        "## Oververdict\nGO",
        "## Verdict `api`\nGO",
        "## `Verdict`\nGO",
        "## ~~Verdict~~\nGO",
        "##Verdict\nGO",
        "####### Verdict\nGO",
        "\\## Verdict\nGO",
        "text **Verdict:** GO",
        "*text* **Verdict:** GO",
        "*Verdict:* GO",
        "**Verdicts:** GO",
        "**verdict of the day: GO**",
        "**Verdict GO**",
        "\\*\\*Verdict:\\*\\* GO",
        "`**Verdict:** GO`",
        "```\n## Verdict\nGO\n```",
        "~~~markdown\n**Verdict:** GO\n~~~",
        "```\n## Verdict\nGO",
        "    ## Verdict\n    GO",
        "\t## Verdict\n\tGO",
        "> ## Verdict\n> GO",
        "> **Verdict:** GO",
        "> quoted\n**Verdict:** GO",
        "- > ## Verdict\n  > GO",
        "<!--\n## Verdict\nGO\n-->",
        "<!-- never closed\n\n## Verdict\nGO",
        "<div>\n## Verdict\nGO\n</div>",
        "<h2>Verdict</h2>\nGO",
        "<b>Verdict:</b> GO",
        "| **Verdict** | GO |\n| --- | --- |\n| a | b |",
        "## Verdict",
        "## Verdict\n\n## Next\nGO",
        "## Verdict\nNext\n====\nGO",
        "## Verdict\n**Blocked:** none\nGO",
        "## Verdict\nLooks decent overall.",
        "## Verdict\ngo ahead",
        "## Verdict\nGO-AHEAD",
        "## Verdict\nGOing on",
        "## Verdict\nGO / NO-GO",
        "## Verdict\n> GO",
        "## Verdict\n```\nGO\n```",
        "## Verdict\n    GO",
        "## Verdict\n<p>GO</p>",
        "## Verdict\n![GO](go.png)",
        "## Verdict\n~~GO~~",
        "## Verdict\n- [ ] GO",
        "## Verdict\n`GO` button",
        "## Verdict\nthe button `GO`",
        "## Verdict\n`GO(1)`",
        "## Verdict\nOn the first pass all is quiet",
    ],
)
def test_an_answer_that_decides_nothing(answer: str) -> None:
    reading = read(answer)
    assert (reading.verdict, reading.blocked, reading.unread) == (None, None, None)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("## Blocked\nno network", "no network"),
        ("## Blocked:\r\nno network\r\nat all", "no network\nat all"),
        ("**Blocked:** no network", "no network"),
        ("**Blocked: no network**", "no network"),
        ("## Status: blocked\n\n- no network\n- no disk", "no network\nno disk"),
        ("## No access: blocked\nwhy", "why"),
        ("## Blocked\n`git push` says:\n```\ndenied\n```\n> quoted", "git push says:\n\ndenied\n\nquoted"),
        ("## Blocked", "it gave no reason"),
        ("## Blocked\n\n# Next\nx", "it gave no reason"),
        ("## Blocked\nx\n\n## Blocked\ny", "x"),
        ("## Blocked\nNone.\n\n## Blocked\nno disk", "no disk"),
        ("## Blocked\n" + "x" * WINDOW, "x" * WINDOW),
        ("## Blocked\n" + "x" * 9999, "x" * (WINDOW - 1) + "…"),
        ("## Blocked\n10⁶ files", "10⁶ files"),
        ("**ＢＬＯＣＫＥＤ：** no disk", "no disk"),
        ("**\u200b\u200bBlocked: no disk**", "no disk"),
    ],
)
def test_what_stopped_the_agent(answer: str, reason: str) -> None:
    assert (read(answer).blocked or "").split() == reason.split()


@pytest.mark.parametrize(
    "answer",
    [
        "I am blocked.",
        "Blocked: no network",
        "## Unblocked\nx",
        "## Not blocked\nx",
        "## No longer blocked\nx",
        "## Nothing is blocked:\nx",
        "**Isn’t blocked:** x",
        "## Blocked by\nx",
        "## Blocked\nNone.",
        "**Blocked:** none\n**Risk:** low",
        "**Blocked:** n/a",
        "- **Blocked:** _nothing_",
        "```\n## Blocked\nx\n```",
        "> ## Blocked\n> x",
    ],
)
def test_what_is_no_statement_of_being_blocked(answer: str) -> None:
    assert read(answer).blocked is None


def test_both_labels_are_read() -> None:
    reading = read("## Verdict\nGO\n\n**Blocked:** no network")
    assert (reading.verdict, reading.blocked, reading.quote) == (ACCEPTED, "no network", "GO")


@pytest.mark.parametrize(
    "label", ["## Verdict\n", "Verdict\n---\n", "**Verdict:** ", "**Verdict**: ", "## Verdict\n\n- "]
)
@pytest.mark.parametrize(("signal", "verdict"), [("GO", ACCEPTED), ("rejected", REJECTED), ("blocked", BLOCKED)])
def test_the_window_ends_after_400_characters(label: str, signal: str, verdict: Verdict) -> None:
    filler = "x" * (WINDOW - len(signal) - 1)
    assert read(f"{label}{filler} {signal}").verdict is verdict
    assert read(f"{label}{filler} {signal} and more").verdict is verdict
    assert read(f"{label}{filler}x {signal}").verdict is None


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (398, "rejected"),
        (394, "rejected"),
        (397, "NO-GO"),
        (398, "GO-AHEAD"),
        (396, "pass/fail"),
        (390, "not yet approved"),
    ],
)
def test_a_word_that_the_window_cuts_decides_nothing(before: int, words: str) -> None:
    assert read(f"## Verdict\n{'x' * (before - 1)} {words}").verdict is None


def test_what_is_masked_takes_up_its_room() -> None:
    for masked in ("```\n{}\n```\n\n", "> {}\n\n", "<!-- {} -->\n\n", "`{}` ", "    {}\n\n"):
        assert read("## Verdict\n" + masked.format("x" * 300) + "GO").verdict is ACCEPTED
        assert read("## Verdict\n" + masked.format("x" * 400) + "GO").verdict is None


def test_a_region_stops_at_a_new_heading_or_label() -> None:
    assert read("## Verdict\nsee below\n### Details\nGO").verdict is None
    assert read("## Verdict\nsee below\n**Blocked:** none\nGO").verdict is None
    assert read("## Verdict\nsee below\n**Details**\nGO").verdict is ACCEPTED
    assert read("## Verdict\n> # quoted\n\nGO").verdict is ACCEPTED


@pytest.mark.parametrize(
    ("answer", "quote"),
    [
        ("## Verdict\nIt is not  yet\napproved.", "not yet approved"),
        ("## Verdict\nGO\n## Verdict\nneeds changes", "needs changes"),
        ("## Verdict\nLooks **decent** overall", "Looks decent overall"),
        ("## Verdict\n\n## Verdict\nLooks decent", "Looks decent"),
        ("## Verdict\n" + "word " * 99, ("word " * 16)[:79] + "…"),
        ("## Blocked\nno network", "no network"),
        ("nothing labelled", ""),
    ],
)
def test_what_is_quoted(answer: str, quote: str) -> None:
    assert read(answer).quote == quote


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        pytest.param("## Verdict\nGO\n" + "x" * (1 << 20), "only up to 1,048,576 are read", id="large"),
        pytest.param(">" * 100_000, "nested too deep", id="quotations"),
        pytest.param("- " * 20 + "x\n\n## Verdict\nGO", "nested too deep", id="lists"),
        pytest.param("## Verdict\nGO\n" + "[" * (1 << 18), "too long", id="region"),
        pytest.param("**not blocked**\n" * (1 << 14), "too long", id="bold lines"),
        pytest.param(">" * 18 + "x\n" + "y\n" * 100_000, "too much work", id="quotation without marks"),
    ],
)
def test_an_answer_that_is_not_read_says_why(answer: str, why: str) -> None:
    reading = read(answer)
    assert (reading.verdict, reading.blocked, reading.quote) == (None, None, "")
    assert reading.unread is not None and why in reading.unread


@pytest.mark.parametrize(
    ("unit", "times"),
    [
        ("[", 10_000),
        ("![[](", 2_000),
        ("[a](", 2_000),
        ("**a_ ", 2_000),
        ("*_", 5_000),
        ("``a`", 2_000),
        ("<!--", 2_000),
        ("a <![CDATA[", 1_000),
        ("&#", 5_000),
        ("a'", 5_000),
        ("not a ", 1_000),
        ("\n", 10_000),
        ("[a]: <\n", 1_000),
        ("|a", 5_000),
    ],
)
def test_hostile_text_is_read_to_its_end(unit: str, times: int) -> None:
    filler = "a " + unit * times
    assert read(f"{filler}\n\n## Verdict\nREJECTED\n\n{filler}").verdict is REJECTED
    assert read(f"## Verdict\n{filler}").unread is None


# Properties.

WORDS = st.sampled_from(
    [
        "GO",
        "NO-GO",
        "approved",
        "rejected",
        "verdict",
        "blocked",
        "Verdict:",
        "not",
        "the",
        "tests",
        "pass",
        "判定",
        "`GO`",
        ".",
    ]
)
PROSE = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
BLOCKS = st.one_of(
    PROSE,
    PROSE.map("> ## Verdict\n> {}".format),
    PROSE.map("```\n## Verdict\n{}\n```".format),
    PROSE.map("<!-- **Verdict:** {} -->".format),
    PROSE.map("- *{}*".format),
    PROSE.map("## Notes\n{}".format),
)
LABELLED = st.tuples(
    st.sampled_from(["## Verdict\n", "Final verdict\n---\n", "**Verdict:** ", "- **Verdict:** "]),
    st.sampled_from(["GO", "approved", "REJECTED", "NO-GO", "blocked", "unclear"]),
).map("".join)
FENCED = st.lists(st.one_of(PROSE, LABELLED), max_size=4).map(lambda lines: "```\n" + "\n".join(lines) + "\n```")


@given(st.lists(BLOCKS, max_size=6))
def test_prose_without_a_label_never_decides(blocks: list[str]) -> None:
    assert read("\n\n".join(blocks)).verdict is None


@given(st.lists(st.one_of(BLOCKS, LABELLED), max_size=6), FENCED, st.data())
def test_a_fenced_block_changes_nothing(blocks: list[str], fenced: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(blocks)))
    one, other = read("\n\n".join(blocks)), read("\n\n".join([*blocks[:place], fenced, *blocks[place:]]))
    assert (one.verdict, one.blocked) == (other.verdict, other.blocked)


@given(
    st.lists(st.one_of(BLOCKS, LABELLED), max_size=5),
    st.lists(st.one_of(BLOCKS, LABELLED), max_size=5),
    st.sampled_from(["## Verdict\nREJECTED", "**Verdict:** NO-GO", "Verdict\n===\n\nnot approved"]),
)
def test_a_rejection_anywhere_rejects(before: list[str], after: list[str], rejection: str) -> None:
    assert read("\n\n".join([*before, rejection, *after])).verdict is REJECTED


@given(st.lists(st.one_of(BLOCKS, LABELLED), max_size=6))
def test_line_ends_make_no_difference(blocks: list[str]) -> None:
    answer = "\n\n".join(blocks)
    assert read(answer) == read(answer.replace("\n", "\r\n"))


MARKUP = st.text(alphabet="#*_>`-[]()!<&\\~|: \n\tGOVerdictBlocked判\u200bıK\u0301\x00\ud800")


@given(st.one_of(st.text(), MARKUP, MARKUP.map("## Verdict\n{}".format), MARKUP.map("**{} verdict".format)))
def test_anything_can_be_read(answer: str) -> None:
    reading = read(answer)
    assert reading.verdict is not ACCEPTED or re.search("go|approve|accept|pass|lgtm", answer.casefold())
