from __future__ import annotations

import signal

import pytest

from tui.commands.interrupts import Interrupts, ToldToEnd


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_interrupt_waits_until_there_is_something_to_stop(number: signal.Signals) -> None:
    with Interrupts() as interrupts:
        signal.raise_signal(number)
        assert interrupts.stops is (number == signal.SIGINT)
        with pytest.raises(KeyboardInterrupt) as raised:
            interrupts.raise_pending()
        assert isinstance(raised.value, ToldToEnd) is (number == signal.SIGTERM)
        interrupts.raise_pending()


def test_a_second_one_does_not_wait() -> None:
    with Interrupts():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)


def test_once_let_through_each_is_raised_where_it_lands() -> None:
    with Interrupts() as interrupts:
        interrupts.let_through()
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)


def test_afterwards_everything_is_as_it_was() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with Interrupts():
        assert signal.getsignal(signal.SIGINT) != before[0]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
