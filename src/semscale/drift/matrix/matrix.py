"""A matrix of models and prompts after all questions were asked: its summary and its table of outputs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from semscale.drift.asking import Answer, Answers, ItemToAsk
from semscale.drift.directions import COST, LATENCY, TOKENS
from semscale.drift.matrix.cells import CellAnswers, gives_nothing, text_of
from semscale.drift.matrix.matrix_signature import with_part
from semscale.drift.matrix.matrix_summary import Basis, CellSummary, MatrixSummary
from semscale.drift.matrix.scores import ReferenceScores, best_by_score, differences_from
from semscale.history.runs import now
from semscale.judging.comparing import SidesSummary, SystemPairs, side_by_side
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan, MeanEstimate, estimate_mean


@dataclass(frozen=True, repr=False)
class AskedMatrix(Presentable):
    """What all cells of a matrix gave, and what is known of it.

    Attributes:
        source: the table of items.
        items: what was asked about, n items.
        cells: what the k cells gave.
        asked_as: signature of items, prompts, models and parameters.
        scores: by references, if there are any.
        pairs: judged side by side, if there was a judge.
    """

    source: str
    items: Sequence[ItemToAsk]
    cells: Sequence[CellAnswers]
    asked_as: Signature
    scores: ReferenceScores | None = None
    pairs: SystemPairs | None = None

    def summarize(self, plan: IntervalPlan | None = None) -> MatrixSummary:
        """Sum the matrix up.

        The best cell is the strongest one by the judge; without a judge the one with the greatest mean score
        over the items that all cells have.

        Args:
            plan: how intervals are made.
        """
        plan, names = plan or IntervalPlan(), [one.cell.name for one in self.cells]
        sides = None if self.pairs is None else side_by_side(self.pairs, names, plan)
        best, basis = _chosen(sides, None if self.scores is None else best_by_score(self.scores.values))
        below: Sequence[MeanEstimate | None] = [None] * len(self.cells)
        if self.scores is not None and best is not None:
            below = differences_from(self.scores.values, best, self.scores.bounds, plan)
        cells = tuple(self._cell(place, below[place], sides, plan) for place in range(len(self.cells)))
        return MatrixSummary(
            self.source,
            cells,
            best,
            basis,
            len(self.items),
            sum(item.reference is not None for item in self.items),
            sides,
            plan.interval,
            self.signature,
            now(),
        )

    def to_frame(self) -> pl.DataFrame:
        """Lay out every answer as a row.

        Returns:
            Columns ``id``, ``cell``, ``model``, ``prompt``, ``asking`` (from 1), ``output``, ``reason``,
            ``score`` (of all askings of the item), ``call_tokens``, ``call_cost`` and ``call_latency``; null
            where there is none.
        """
        rows = [
            self._row(k, n, asking, answer)
            for k, one in enumerate(self.cells)
            if one.answers is not None
            for asking, asked in enumerate(one.answers.asked, start=1)
            for n, answer in enumerate(asked)
        ]
        floats = dict.fromkeys(("score", TOKENS, COST, LATENCY), pl.Float64)
        texts = dict.fromkeys(("id", "cell", "model", "prompt"), pl.String)
        schema = {**texts, "asking": pl.Int64, "output": pl.String, "reason": pl.String, **floats}
        return pl.DataFrame(rows, schema=schema).with_columns(pl.col("score").fill_nan(None))

    def __repr__(self) -> str:
        return f"AskedMatrix(source={self.source!r}, cells={len(self.cells)}, items={len(self.items):,})"

    def record(self) -> dict[str, Any]:
        """Lay all figures of the summary out by name, for JSON."""
        return self.summarize().record()

    @property
    def signature(self) -> Signature:
        """What was asked, and what matched and judged it."""
        matched = None if self.scores is None else self.scores.signature
        judged = None if self.pairs is None else self.pairs.judged.signature
        return with_part(with_part(self.asked_as, "match", matched), "judge", judged)

    def _row(self, k: int, n: int, asking: int, answer: Answer) -> dict[str, object]:
        cell = self.cells[k].cell
        fields = answer.outputs[0].fields if answer.outputs else {}
        return {
            "id": self.items[n].id,
            "cell": cell.name,
            "model": cell.model.name,
            "prompt": None if cell.template is None else cell.template.name,
            "asking": asking,
            "output": text_of(answer),
            "reason": answer.reason,
            "score": None if self.scores is None else float(self.scores.values[k, n]),
            **{name: fields.get(name) for name in (TOKENS, COST, LATENCY)},
        }

    def _n_silent(self, answers: Answers) -> int:
        """Count refusals and empty answers."""
        return sum(
            gives_nothing(answer, item.reference)
            for asked in answers.asked
            for item, answer in zip(self.items, asked, strict=True)
        )

    def _cell(
        self, place: int, below: MeanEstimate | None, sides: SidesSummary | None, plan: IntervalPlan
    ) -> CellSummary:
        one = self.cells[place]
        template = one.cell.template
        named = one.cell.name, one.cell.model.name, None if template is None else template.name
        answers = one.answers
        if answers is None:
            return CellSummary(*named, one.down)
        score = None
        if self.scores is not None:
            score = estimate_mean(self.scores.values[place], bounds=self.scores.bounds, plan=plan)
        n_silent = self._n_silent(answers)
        failed = [answer for answer in answers.every if not answer.outputs and not answer.is_silent]
        seconds = answers.numbers(LATENCY)
        return CellSummary(
            *named,
            None,
            len(answers.every) - len(failed) - n_silent,
            n_silent,
            len(answers.every),
            answers.n_cut,
            dict(Counter(answer.reason or "no reply" for answer in failed).most_common()),
            score,
            below,
            None if sides is None else sides.records[place],
            None if sides is None else sides.over_best[place],
            _mean(answers, TOKENS),
            _mean(answers, COST),
            float(np.median(seconds)) if len(seconds) else None,
            answers.currency,
        )


def _chosen(sides: SidesSummary | None, by_score: int | None) -> tuple[int | None, Basis | None]:
    if sides is not None and sides.best is not None:
        return sides.best, "judge"
    return by_score, None if by_score is None else "reference"


def _mean(answers: Answers, name: str) -> float | None:
    found = answers.numbers(name)
    return float(found.mean()) if len(found) else None
