"""What Claude Code says it used. Checked on 2.1.332:

- `message.usage` is what is known when a message begins: input and cache are right, output is a placeholder until a
  stop reason stands beside it. Every content block of a message repeats it.
- `usage` of a result leaves out sub-agents. `modelUsage` and `total_cost_usd` go on from whatever totals the session
  has saved: those of an attempt ended by TERM are in there, those of a killed one are not. Only
  `model_usage_since_last_result` states each call once, however the session was resumed or cut off. Older versions
  do not have it; there the difference to the session's known totals counts.
- An answer that broke off is in none of them with what it really cost.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.agents.json_lines import Record, identifier, nano_dollars, record, whole
from harness.reports import Usage
from store.model import Counts

_NOTHING = Counts(input=0, output=0, cache_read=0, cache_write=0, cost=0)


class ClaudeUsage:
    """The usage reports of one attempt, in the order of its lines."""

    def __init__(self) -> None:
        self._reported = False
        self._open = True  # something may have been used that no result has stated
        self._broke_off = False
        self._in_messages = self._in_models = 0  # tokens of all results so far, counted either way

    def of_message(self, message: Record) -> Sequence[Usage]:
        """Of one model request, known by the message's id: counted once, however many lines repeat it."""
        request = identifier(message.get("id"))
        if request is None:
            return ()
        self._reported = self._open = True
        counts = _of_message(record(message.get("usage")), complete=message.get("stop_reason") is not None)
        return (Usage(counts=counts, model=identifier(message.get("model")), request=request),)

    def broke_off(self) -> None:
        """An answer did, and is asked for again."""
        self._broke_off = True

    def of_result(self, result: Record, model: str | None) -> Sequence[Usage]:
        """Everything since the result before, by model; `model` is for when nothing was used."""
        once = result.get("model_usage_since_last_result")
        cumulative = not isinstance(once, dict)
        models = record(result.get("modelUsage") if cumulative else once)
        if not models:
            # When it breaks down its figures are empty too, so they say nothing unless nothing can have been used.
            unused = not self._reported and (not cumulative or result.get("num_turns") == 0)
            self._open = self._open and not unused
            return (Usage(counts=_NOTHING, model=model, settles=True, at_least=self._broke_off),) if unused else ()
        self._reported, self._open = True, False
        told = None if cumulative else identifier(result.get("uuid"))
        counts = {identifier(name): _of_model(record(figures)) for name, figures in models.items()}
        self._in_messages += _tokens(_of_message(record(result.get("usage")), complete=True))
        self._in_models += sum(_tokens(one) for one in counts.values())
        more_in_messages = not cumulative and self._in_messages > self._in_models
        at_least = self._broke_off or more_in_messages or result.get("terminal_reason") == "aborted_streaming"
        self._broke_off = False
        return [
            Usage(
                counts=one,
                model=name,
                request=None if told is None else f"{told} {name}",
                cumulative=cumulative,
                settles=True,
                at_least=at_least,
            )
            for name, one in counts.items()
        ]

    def of_end(self, model: str | None) -> Sequence[Usage]:
        """That something is missing, when the output ends without a result: a request may have been under way."""
        return (Usage(counts=Counts(), model=model),) if self._open else ()


def _of_message(usage: Record, *, complete: bool) -> Counts:
    return Counts(
        input=whole(usage.get("input_tokens")),
        output=whole(usage.get("output_tokens")) if complete else None,
        cache_read=whole(usage.get("cache_read_input_tokens")),
        cache_write=whole(usage.get("cache_creation_input_tokens")),
    )


def _of_model(figures: Record) -> Counts:
    guessed = figures.get("costBasis") == "unknown"  # it has no price for the model and takes another model's
    return Counts(
        input=whole(figures.get("inputTokens")),
        output=whole(figures.get("outputTokens")),
        cache_read=whole(figures.get("cacheReadInputTokens")),
        cache_write=whole(figures.get("cacheCreationInputTokens")),
        cost=None if guessed else nano_dollars(figures.get("costUSD")),
    )


def _tokens(counts: Counts) -> int:
    return (counts.input or 0) + (counts.output or 0) + (counts.cache_read or 0) + (counts.cache_write or 0)
