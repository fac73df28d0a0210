"""Comparison of systems whose answers stand in columns of a table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from semscale.chat.connections import held_open
from semscale.chat.runner import run_apart
from semscale.errors import InputError
from semscale.judging.asking import Running
from semscale.judging.comparing.comparison_summary import SystemComparison, compared
from semscale.judging.comparing.sides import SystemPairs, judge_systems, pairs_of
from semscale.judging.items import read_items
from semscale.judging.judge import Judge
from semscale.judging.prompts.prompting import JudgedItem
from semscale.judging.side_by_side import shown_to_judge
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
        The summary, and a table with a row for each pair; where a cap ended the run early the remaining pairs
        are ``unfinished``, and replies are kept.

    Raises:
        InputError: fewer than two systems, or columns of unequal length.
        ReplyError: no call can succeed.
    """
    read = _ReadSystems.of(questions, systems, references)

    async def judged() -> SystemPairs:
        async with held_open(judge.model):
            return await judge_systems(
                read.questions,
                read.answers,
                judge,
                references=read.references,
                running=running or Running(),
                progress=progress,
            )

    pairs = run_apart(judged())
    summary = compared(
        source,
        columns or {name: name for name in systems},
        pairs,
        _with_unfinished(read.counts, pairs),
        plan or IntervalPlan(),
    )
    return summary, pair_frame(pairs, list(systems))


def shown_pairs(
    questions: object, systems: Mapping[str, object], *, references: object = None
) -> tuple[list[JudgedItem], dict[str, int]]:
    """List what a judge would be shown of systems' answers, and count the rows, without asking.

    Args:
        questions: as ``compare_systems`` takes them, like all that follows.
        systems: likewise.
        references: likewise.

    Returns:
        The items, two for each pair that is asked about, and rows by status; ``scored`` would be compared.

    Raises:
        InputError: as ``compare_systems``.
    """
    read = _ReadSystems.of(questions, systems, references)
    pairs, _ = pairs_of(read.questions, read.answers, read.references)
    return shown_to_judge(pairs), read.counts


@dataclass(frozen=True)
class _ReadSystems:
    """Cells of systems as texts: n questions, k times n answers, n references, and rows by status."""

    questions: list[str]
    answers: list[list[str | None]]
    references: list[str | None]
    counts: dict[str, int]

    @classmethod
    def of(cls, questions: object, systems: Mapping[str, object], references: object) -> "_ReadSystems":
        if len(systems) < 2:  # noqa: PLR2004 - the fewest that can be compared
            raise InputError(f"systems must be two or more, got {len(systems)}")
        rows = [read_items(questions, answers, references) for answers in systems.values()]
        asked = as_list(questions, "questions")
        n_pairs = len(asked) * len(rows) * (len(rows) - 1) // 2
        if n_pairs > _MOST_PAIRS:
            raise InputError(f"{n_pairs:,} pairs are more than the {_MOST_PAIRS:,} that are compared at once")
        return cls(
            [str(question) for question in asked],
            [[_answer(row) for row in own] for own in rows],
            [_reference(each) for each in zip(*rows, strict=True)],
            _counts(rows),
        )


def pair_frame(pairs: SystemPairs, names: Sequence[str]) -> pl.DataFrame:
    """Lay out the pairs as a table.

    Returns:
        Columns ``row`` (from 1), ``first``, ``second``, ``shown_first`` and ``shown_second`` (points of the
        first system where its answer stood first, and second), ``points`` over both orders, ``preferred``, a
        system's name or ``tie``, and ``status``, such as ``unfinished``; null where there is no verdict.
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
            pl.Series("status", [str(status) for status in pairs.judged.status], pl.String),
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


def _with_unfinished(counts: Mapping[str, int], pairs: SystemPairs) -> dict[str, int]:
    """Count rows of which no pair was finished as unfinished."""
    lost = set(pairs.item[pairs.judged.unfinished].tolist()) - set(
        pairs.item[~pairs.judged.unfinished].tolist()
    )
    if not lost:
        return dict(counts)
    scored = str(Status.SCORED)
    found = {**counts, scored: counts[scored] - len(lost), str(Status.UNFINISHED): len(lost)}
    return {status: n for status, n in found.items() if n}
