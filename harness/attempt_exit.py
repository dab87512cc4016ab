"""How an attempt's processes ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.keeper.exit_file import NAMES


@dataclass(frozen=True, kw_only=True, slots=True)
class Exit:
    """The facts of the end of one attempt, without any judgement; the tree is gone, as far as it is within reach."""

    code: int | None
    """Exit status of the agent itself; `None` for one that a signal ended, or whose keeper was lost."""
    signal: int | None
    started_at: int
    """Milliseconds since 1970, as is `ended_at`: the moment when nothing of the tree was left."""
    ended_at: int
    leftovers: int
    """Processes that outlived an agent which ended by itself; they were ended."""
    asked: str | None
    """Why its keeper ended it on its own: `watch gone`, `timeout`, `output limit` or `terminated`."""
    out_bytes: int
    err_bytes: int
    lost_keeper: bool
    """The keeper was killed, so nobody knows how the agent ended."""
    beyond_reach: int = 0
    """Processes that belong to another owner now and could not be ended (sudo, setuid)."""

    @classmethod
    def of_file(cls, facts: Mapping[str, Any], *, out_bytes: int, err_bytes: int) -> Exit:
        """The exit that a `….exit` file tells. Raises `KeyError` for what is no such file."""
        return cls(
            code=facts["exit_code"],
            signal=facts["signal"],
            started_at=facts["started_at"],
            ended_at=facts["ended_at"],
            leftovers=facts["leftovers"],
            asked=facts["asked"],
            out_bytes=out_bytes,
            err_bytes=err_bytes,
            lost_keeper=False,
            beyond_reach=facts["beyond_reach"],
        )

    @classmethod
    def of_words(cls, words: Sequence[bytes], *, out_bytes: int, err_bytes: int) -> Exit:
        """The exit that a keeper tells when it says `gone`."""
        *figures, asked = (None if word == b"-" else word.decode() for word in words)
        known = [None if figure is None else int(figure) for figure in figures]
        facts = dict(zip(NAMES, [*known, asked], strict=True))
        return cls.of_file(facts, out_bytes=out_bytes, err_bytes=err_bytes)

    @classmethod
    def lost(
        cls, *, started_at: int, ended_at: int, leftovers: int, beyond_reach: int, out_bytes: int, err_bytes: int
    ) -> Exit:
        """The exit of an attempt whose keeper was killed; `leftovers` were found and ended."""
        return cls(
            code=None,
            signal=None,
            started_at=started_at,
            ended_at=ended_at,
            leftovers=leftovers,
            asked=None,
            out_bytes=out_bytes,
            err_bytes=err_bytes,
            lost_keeper=True,
            beyond_reach=beyond_reach,
        )
