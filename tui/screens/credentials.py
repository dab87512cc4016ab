"""Credentials that do not work: read, test, clear (K1, K3, K6)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from store.credentials import Remembered, remembered
from store.errors import StoreError
from tui.lines import Span
from tui.screens.listing import Listing
from tui.screens.reading import Reading
from tui.text import one_line
from tui.widgets.credential_rows import STANDING, CredentialRows, name_of
from tui.wording import clock

if TYPE_CHECKING:
    from store.paths import Places


class Credentials(Listing):
    """Nothing is launched on what stands here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "test", show=False),
        Binding("x", "clear", show=False),
    ]
    KEYS = (("enter", "read"), ("t", "test, which is paid for"), ("x", "clear"))

    def __init__(self) -> None:
        super().__init__(CredentialRows(id="credential-rows", heading="Credentials that fail"), id="credentials")

    def found(self, connection: sqlite3.Connection) -> Sequence[Remembered]:
        """What is remembered, the longest known first."""
        return remembered(connection)

    def action_read(self) -> None:
        """All that is known of it."""
        one = self.rows.selected
        if one is not None:
            self.app.push_screen(CredentialText(one))

    def action_test(self) -> None:
        """One short request by its CLI; if that passes, it is forgotten."""
        one, places = self.rows.selected, self.midwatch.places
        if one is not None:
            self.ask(lambda: _tested(places, one), f"asking {one.cli} for one word", f"{name_of(one)} works again")

    def action_clear(self) -> None:
        """Forgets it: agents may be launched on it again."""
        one, places = self.rows.selected, self.midwatch.places
        if one is not None:
            self.ask(
                lambda: _forgotten(places, one.key, None),
                "clear: asked, waiting for the watch",
                f"{name_of(one)} is forgotten; agents may be launched on it again",
            )


class CredentialText(Reading):
    """One of them, whole."""

    def __init__(self, one: Remembered) -> None:
        super().__init__(heading=f"Credential {name_of(one)}")
        self._one = one
        self.page.hanging = 10

    def text(self) -> Iterable[Span]:
        """What is known, since when, from whom, and what helps."""
        one = self._one
        words, tone = STANDING[one.standing]
        yield f"{one.cli}: {words}", tone
        yield f"since     {clock(one.at, self.midwatch.now(), seconds=True)}", ""
        if one.resets_at is not None:
            yield f"resets    {one_line(one.resets_at)}", ""
        if one.run is not None:
            yield f"found by  {one_line(one.agent or '?')} of run {one_line(one.run)}, attempt {one.attempt}", ""
        yield f"said      {one_line(one.message)}", "yellow"
        yield f"key       {one_line(one.key)}", "dim"
        yield "", ""
        yield (
            (
                "No agent is launched on it until it is changed or saved again, a test passes, or you clear it. Nothing"
                " of the secret is kept, only a fingerprint; the memory ends with the watch."
            ),
            "",
        )


def _tested(places: Places, one: Remembered) -> str:
    from harness.errors import HarnessError
    from harness.sign_in_test import try_credential

    try:
        problem = try_credential(places, one)
    except HarnessError as error:
        return str(error)
    return problem or _forgotten(places, one.key, "a test of it passed")


def _forgotten(places: Places, key: str, why: str | None) -> str:
    """Why the watch did not do it, or ''."""
    from harness import requests
    from harness.errors import HarnessError

    try:
        requests.forget(places, key, why)
    except (HarnessError, StoreError) as problem:
        return str(problem)
    return ""
