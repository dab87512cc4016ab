"""What is remembered of credentials that do not work, as it stands (K1, K6). A secret is stored nowhere (K2)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from enum import StrEnum


class Standing(StrEnum):
    """Why nothing more is launched on a credential."""

    HELD = "held"  # a sign-in was refused, and the CLI tries again
    DIED = "died"  # it gave up
    LIMITED = "limited"  # a usage limit is reached


@dataclass(frozen=True, kw_only=True, slots=True)
class Remembered:
    """One credential that does not work: since when (ms), and the attempt that found out.

    `key` is `PROVIDER:METHOD:PLACE:FINGERPRINT`; `resets_at` is what the CLI said of the end of a limit.
    """

    key: str
    standing: Standing
    cli: str
    at: int
    run: str | None
    agent: str | None
    attempt: int
    message: str
    resets_at: str | None = None


def remembered(connection: sqlite3.Connection) -> list[Remembered]:
    """Every credential that does not work, the longest known first."""
    return [
        Remembered(
            key=row[0],
            standing=Standing(row[1]),
            cli=row[2],
            at=row[3],
            run=row[4],
            agent=row[5],
            attempt=row[6],
            message=row[7],
            resets_at=row[8],
        )
        for row in connection.execute(
            "SELECT key, standing, cli, at, run, agent, attempt, message, resets_at FROM credentials ORDER BY at, key"
        )
    ]
