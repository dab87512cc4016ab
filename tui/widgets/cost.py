"""What the selected run has cost so far: unknown is never zero, estimates are no bills (U1, U2, U3)."""

from __future__ import annotations

from store.run import Run
from store.usage import Totals
from tui.lines import Line, Span, fit
from tui.widgets.painted import Painted
from tui.wording import dollars, money, tokens


class Cost(Painted):
    """One line of figures; the frame around it is left out where room is short."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self._run: Run | None = None

    def on_mount(self) -> None:
        """What the frame says."""
        self.caption("Cost")

    def show(self, run: Run | None) -> None:
        """Shows the cost of this run."""
        self._run = run
        self.repaint()

    def lines(self, width: int, height: int) -> list[Line]:
        """Money first, since it must not be cut; then what makes it uncertain, then the tokens."""
        if self._run is None:
            return [fit([("no run, no cost", "dim")], width)]
        return [cost_line(self._run, width)]


def cost_line(run: Run, width: int) -> Line:
    """`$1.84+  1 agent unknown  partial   in 182k  out 12k  cache read 1.2M  write 90k`."""
    totals = run.totals
    metered = any(agent.metered for wave in run.plan.waves for agent in wave.agents)
    if not metered:
        return fit([("no cost: no agent of this run spends money", "dim")], width)
    figure = money(totals, metered=any(one.attempts for one in run.delegations.values()))
    spans: list[Span] = [(figure or "no cost", "bold")]
    unknown = unknown_agents(run)
    if unknown:
        spans.append((f"  {unknown} agent{'' if unknown == 1 else 's'} unknown", "yellow"))
    if run.live:
        spans.append(("  partial", "yellow"))
    if totals.estimated:
        spans.append((f"  {dollars(totals.estimated)} estimated, no bill", "dim"))
    spans.extend(_tokens(totals, short=width < 100))
    return fit(spans, width)


def unknown_agents(run: Run) -> int:
    """How many agents that spend money have started and did not say (all of) what they cost."""
    return sum(
        1
        for one in run.delegations.values()
        if one.attempts
        and run.plan.agent(one.name).metered
        and (one.totals.missing_cost or (one.totals.spent is None and one.final))
    )


def _tokens(totals: Totals, *, short: bool) -> list[Span]:
    read, write = ("cache r", "w") if short else ("cache read", "write")
    return [
        (f"   in {tokens(totals.input, totals.missing_input)}", ""),
        (f"  out {tokens(totals.output, totals.missing_output)}", ""),
        (f"  {read} {tokens(totals.cache_read, totals.missing_cache_read)}", ""),
        (f"  {write} {tokens(totals.cache_write, totals.missing_cache_write)}", ""),
    ]
