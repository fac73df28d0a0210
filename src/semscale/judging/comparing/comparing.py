"""Comparison of systems whose answers stand in columns of a table."""

from collections import Counter
from collections.abc import Mapping, Sequence

import polars as pl

from semscale.chat.connections import held_open
from semscale.chat.runner import run_apart
from semscale.errors import InputError
from semscale.judging.asking import Running
from semscale.judging.comparing.comparison_summary import SystemComparison, compared
from semscale.judging.comparing.sides import SystemPairs, judge_systems
from semscale.judging.items import read_items
from semscale.judging.judge import Judge
from semscale.judging.prompts.prompting import JudgedItem
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.columns import as_list
from semscale.types import Progress, Status

_MOST_PAIRS = 1_000_000


def compare_systems(  # noqa: PLR0913 - what, by whom, how, and who is told
    judge: Judge,
    questions: object,
    systems: Mapping[str, object],
    *,
    references: object = None,
    columns: Mapping[str, str] | None = None,
    source: str = "items in memory",
    running: Running | None = None,
    plan: IntervalPlan | None = None,
    progress: Progress | None = None,
) -> tuple[SystemComparison, pl.DataFrame]:
    """Let a judge compare the answers of every two systems, each pair in both orders.

    Args:
        judge: with the template of ``side_by_side_template``.
        questions: shape (n,), a list or a series.
        systems: answers of each system by its name, each of shape (n,); two systems or more.
        references: shape (n,), answers that are known to be right, each a text or a list of texts.
        columns: where the systems' answers are from, by their names; the names unless given.
        source: what the table is called.
        running: how calls are made.
        plan: how intervals are made.
        progress: called as replies come.

    Returns:
        The summary, and a table with a row for each pair.

    Raises:
        InputError: fewer than two systems, or columns of unequal length.
        InterruptedRunError: a cap was reached; replies are kept.
        ReplyError: no call can succeed.
    """
    if len(systems) < 2:  # noqa: PLR2004 - the fewest that can be compared
        raise InputError(f"systems must be two or more, got {len(systems)}")
    rows = {name: read_items(questions, answers, references) for name, answers in systems.items()}
    asked = as_list(questions, "questions")
    texts = [[_answer(row) for row in own] for own in rows.values()]
    n_pairs = len(asked) * len(texts) * (len(texts) - 1) // 2
    if n_pairs > _MOST_PAIRS:
        raise InputError(f"{n_pairs:,} pairs are more than the {_MOST_PAIRS:,} that are compared at once")
    known = [_reference(each) for each in zip(*rows.values(), strict=True)]

    async def judged() -> SystemPairs:
        async with held_open(judge.model):
            return await judge_systems(
                [str(question) for question in asked],
                texts,
                judge,
                references=known,
                running=running or Running(),
                progress=progress,
            )

    pairs = run_apart(judged())
    counts = _counts(list(rows.values()))
    summary = compared(
        source, columns or {name: name for name in systems}, pairs, counts, plan or IntervalPlan()
    )
    return summary, pair_frame(pairs, list(systems))


def pair_frame(pairs: SystemPairs, names: Sequence[str]) -> pl.DataFrame:
    """Lay out the pairs as a table.

    Returns:
        Columns ``row`` (from 1), ``first``, ``second``, ``shown_first`` and ``shown_second`` (points of the
        first system where its answer stood first, and second), ``points`` over both orders, and
        ``preferred``, a system's name or ``tie``; null where there is no verdict.
    """
    points, orders = pairs.points, pairs.judged.orders
    preferred = [
        None if value != value else "tie" if value == 0.5 else names[first if value > 0.5 else second]  # noqa: PLR0124, PLR2004
        for value, first, second in zip(
            points.tolist(), pairs.first.tolist(), pairs.second.tolist(), strict=True
        )
    ]
    return pl.DataFrame(
        [
            pl.Series("row", pairs.item + 1),
            pl.Series("first", [names[place] for place in pairs.first.tolist()], pl.String),
            pl.Series("second", [names[place] for place in pairs.second.tolist()], pl.String),
            pl.Series("shown_first", orders[:, 0].copy(), nan_to_null=True),
            pl.Series("shown_second", orders[:, 1].copy(), nan_to_null=True),
            pl.Series("points", points, nan_to_null=True),
            pl.Series("preferred", preferred, pl.String),
        ]
    )


def _answer(row: JudgedItem | Status) -> str | None:
    return row.answer if isinstance(row, JudgedItem) else None


def _reference(rows: Sequence[JudgedItem | Status]) -> str | None:
    return next((row.reference for row in rows if isinstance(row, JudgedItem)), None)


def _counts(rows: Sequence[Sequence[JudgedItem | Status]]) -> dict[str, int]:
    """Count rows by status; a row with two answers or more is compared."""
    found = Counter[str]()
    for row in zip(*rows, strict=True):
        usable = sum(isinstance(each, JudgedItem) for each in row)
        lost = next((each for each in row if isinstance(each, Status)), Status.MISSING)
        found[str(Status.SCORED if usable > 1 else lost)] += 1
    return dict(found)
