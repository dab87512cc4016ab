"""How a run stands for whoever looks at it: its status, and what can be taken up again."""

from __future__ import annotations

from store.model import Reason, RunStatus, State

TYPE_CHECKING = False  # importing typing would be a tenth of the start-up
if TYPE_CHECKING:
    from store.run import Delegation, Run
    from store.views import RunLine


def run_status(run: Run | RunLine, *, watched: bool, harness_paused: bool = False) -> RunStatus:
    """The status to show: what the record says, and `unsettled` when it says live and no watch lives (`watched`)."""
    if not run.live:
        return RunStatus.FINISHED
    if not watched:
        return RunStatus.UNSETTLED
    if run.draining_until is not None:
        return RunStatus.DRAINING
    return RunStatus.PAUSED if run.paused or harness_paused else RunStatus.LIVE


def session_to_take_up(run: Run, delegation: Delegation) -> str | None:
    """The session that a resume of this interrupted agent takes up; `None`: none, or the run is settled (R11, R12)."""
    if run.discarded or delegation.state is not State.STOPPED or delegation.reason is not Reason.INTERRUPTED:
        return None
    return None if delegation.attempt is None else delegation.attempt.session
