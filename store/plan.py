"""What a run was launched to do: the plan, its waves and its agents. Never changes after launch.

Apart from `store.model`, because a list of runs needs none of it and start-up is counted in milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass

from store.model import OnFailure, Role, WatchDeath


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedAgent:
    """One agent as the workflow declared it at launch, defaults filled in. Times are seconds."""

    name: str
    role: Role
    cli: str
    model: str | None = None
    metered: bool = True  # whether its CLI spends money at all; a plain command does not
    reports: bool = False  # whether a command's standard output is report lines rather than its answer
    reject_on: tuple[int, ...] = (1,)  # exit statuses of a command with a vote that reject (O10)
    timeout: float | None = None
    no_sign_of_life: float | None = None
    budget: int | None = None  # nano-dollars
    max_turns: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedWave:
    """Agents that run at the same time; the next wave waits for all of them (O4)."""

    name: str
    on_failure: OnFailure = OnFailure.CONTINUE
    agents: tuple[PlannedAgent, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What a run was launched to do, with the gates of the whole run. Never changes after launch."""

    waves: tuple[PlannedWave, ...]
    parallel: int = 8
    budget: int | None = None  # nano-dollars
    max_turns: int | None = None
    deadline: float | None = None  # seconds from launch, on the wall clock
    watch_death: WatchDeath = WatchDeath.STOP

    def agent(self, name: str) -> PlannedAgent:
        """The agent of that name; `KeyError` when the plan has none."""
        for wave in self.waves:
            for agent in wave.agents:
                if agent.name == name:
                    return agent
        raise KeyError(name)
