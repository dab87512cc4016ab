"""What a keeper and an agent are told of an order."""

from __future__ import annotations

import resource
import socket
from pathlib import Path

import pytest

from harness.attempt_order import Order
from harness.keeper.order import AgentOrder, KeeperOrder, receive
from tests.harness.supervising import order


def told(ordered: Order, *inherited: tuple[int, int, int]) -> tuple[AgentOrder, KeeperOrder]:
    """The two parts as they arrive."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(ordered.for_keeper(inherited))
        ours.close()
        keeper, agent = receive(theirs), receive(theirs)
        assert agent is not None
        assert keeper is not None
        assert receive(theirs) is None
    return AgentOrder(**agent), KeeperOrder(**keeper)


def test_texts_arrive_as_the_bytes_that_they_stand_for(tmp_path: Path) -> None:
    agent, keeper = told(order(tmp_path, "1", ["prog", "über", "a\udcffb"], env={"N": "\udc80"}, timeout=1.5))
    assert agent.argv == (b"prog", "über".encode(), b"a\xffb")
    assert agent.env == {b"N": b"\x80"}
    assert (keeper.exit, keeper.timeout) == (str(tmp_path / "1.exit").encode(), 1.5)


def test_the_environment_stays_out_of_the_keeper(tmp_path: Path) -> None:
    _, keeper = told(order(tmp_path, "1", ["prog"], env={"KEY": "secret"}))
    assert "secret" not in repr(vars(keeper))


def test_a_limit_that_the_order_names_goes_before_an_inherited_one(tmp_path: Path) -> None:
    files, core = resource.RLIMIT_NOFILE, resource.RLIMIT_CORE
    agent, _ = told(order(tmp_path, "1", ["prog"], limits=((files, 1, 2),)), (files, 3, 4), (core, 5, 6))
    assert agent.limits == ((files, 1, 2), (core, 5, 6))


def test_a_part_that_was_cut_off_is_none(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(order(tmp_path, "1", ["prog"]).for_keeper(())[:-1])
        ours.close()
        assert receive(theirs) is not None
        assert receive(theirs) is None


@pytest.mark.parametrize("argv", [[], [""]])
def test_without_a_program_nothing_is_ordered(tmp_path: Path, argv: list[str]) -> None:
    with pytest.raises(ValueError, match="no program"):
        order(tmp_path, "1", argv).for_keeper(())
