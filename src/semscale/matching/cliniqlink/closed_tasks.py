"""Scores of replies to closed questions: true or false, multiple choice, and lists of options."""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

import numpy as np

from semscale.matching.cliniqlink.reply_options import (
    chosen_option,
    chosen_options,
    option_key,
    true_or_false,
)
from semscale.matching.cliniqlink.submission import Task
from semscale.types import Floats

_LETTER_LABEL = re.compile(r"[A-Za-z][.:] ")


@dataclass(frozen=True)
class TaskItems:
    """Scores of one task's n items.

    Attributes:
        score: shape (n,), 0 to 1; NaN where the item states no right answer.
        n_invalid: replies that say nothing the task could score; they count as 0.
        figures: further figures about the whole task, by name.
    """

    score: Floats
    n_invalid: int
    figures: Mapping[str, float]


def score_true_false(task: Task) -> TaskItems:
    """Score 1 for the right verdict; a reply that does not start with one is invalid."""
    verdicts = [true_or_false(reply) for reply in task.replies]
    right = [true_or_false(str(item.get("answer", ""))) for item in task.inputs]
    score = [
        np.nan if truth is None else float(said is truth) for said, truth in zip(verdicts, right, strict=True)
    ]
    return TaskItems(np.array(score), verdicts.count(None), {})


def score_multiple_choice(task: Task) -> TaskItems:
    """Score 1 for the right option, by its text or its letter; a reply that states no option is invalid."""
    score, invalid = [], 0
    for item, reply in zip(task.inputs, task.replies, strict=True):
        options = options_of(item)
        right = chosen_option(str(item.get("correct_answer", item.get("answer", ""))), options)
        chosen = chosen_option(reply, options)
        invalid += chosen is None
        score.append(np.nan if right is None else float(chosen == right))
    return TaskItems(np.array(score), invalid, {})


def score_list(task: Task) -> TaskItems:
    """Score each item by the F1 of the options it lists; one that lists anything else is invalid.

    Returns:
        Scores whose mean is the macro F1, and ``micro_f1`` over the hits of all items.
    """
    score, invalid = [], 0
    hits = listed = wanted = 0
    for item, reply in zip(task.inputs, task.replies, strict=True):
        options = options_of(item)
        right = {key for answer in item.get("answer", ()) if (key := chosen_option(str(answer), options))}
        chosen, unknown = chosen_options(reply, options)
        invalid += bool(unknown) or not chosen
        common = 0 if unknown else len(chosen & right)
        score.append(_f1(common, len(chosen | unknown), len(right)))
        hits, listed, wanted = hits + common, listed + len(chosen | unknown), wanted + len(right)
    return TaskItems(np.array(score), invalid, {"micro_f1": _f1(hits, listed, wanted)})


def options_of(item: Mapping[str, Any]) -> list[str]:
    """List an item's options without the letters that some carry in their texts.

    Example:
        >>> options_of({"options": {"B": "lung", "A": "heart"}}), options_of({"options": ["A. heart"]})
        (['heart', 'lung'], ['heart'])
    """
    options = item.get("options", [])
    if isinstance(options, Mapping):
        options = [options[letter] for letter in sorted(options)]
    return [_LETTER_LABEL.sub("", str(option), count=1) if _is_labelled(option, at) else str(option)
            for at, option in enumerate(options)]  # fmt: skip


def option_f1(listed: Set[str], wanted: Set[str]) -> float:
    """Give the F1 of what was listed against what was wanted; NaN where nothing was wanted.

    Example:
        >>> option_f1({"a", "c"}, {"a"})  # precision 1/2, recall 1
        0.6666666666666666
    """
    return _f1(len(listed & wanted), len(listed), len(wanted))


def _is_labelled(option: object, at: int) -> bool:
    found = _LETTER_LABEL.match(str(option))
    return (
        found is not None
        and at < len(ascii_uppercase)
        and option_key(found[0])[0] == ascii_uppercase[at].lower()
    )


def _f1(hits: int, listed: int, wanted: int) -> float:
    """Give 2 * hits / (listed + wanted), NaN where nothing was wanted."""
    return 2 * hits / (listed + wanted) if wanted else np.nan
