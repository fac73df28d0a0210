"""What measuring consistency gives: values of each item, what contradicts, and what was left out."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.results.estimates import Estimates
from semscale.results.estimating import EstimateSettings, estimate_values
from semscale.results.result import Result
from semscale.results.tallies import NO_VALUE
from semscale.self_consistency.asking import ReplyCounts
from semscale.self_consistency.contradictions import Contradiction
from semscale.self_consistency.correctness_probability import Trust, TrustSettings, estimate_trust
from semscale.self_consistency.measures import MEASURES
from semscale.self_consistency.samples import given_texts
from semscale.self_consistency.summary import (
    FEW_SAMPLES,
    KEPT_EXAMPLES,
    KEPT_ITEMS,
    ConsistencyItem,
    ConsistencySummary,
)
from semscale.signature import Signature
from semscale.store.columns import as_list, as_names, is_missing
from semscale.types import Floats, Integers, Statuses


@dataclass(frozen=True, repr=False)
class Consistencies(Result):
    """Consistency of n items, in the order of the items.

    Attributes:
        measures: for each measure its values, shape (n,); NaN where there is none.
        status: shape (n,), each a ``Status``: why each item has values, or has none.
        n_samples: shape (n,), usable samples.
        samples_left_out: shape (n,), samples that are missing, empty or no text.
        windows: shape (n,), the most windows that one of the item's texts was read in; 0 where none.
        nulls: figures of the texts' lengths alone, by name, each of shape (n,): what any measure should beat.
        contradictions: for every item what contradicts its answer; empty tuples without guards.
        floor: cosine of unrelated answers; ``None`` where it could not be estimated, so that 0 was applied.
        signature: what was applied.
    """

    measures: Mapping[str, Floats]
    status: Statuses
    n_samples: Integers
    samples_left_out: Integers
    windows: Integers
    nulls: Mapping[str, Floats]
    contradictions: tuple[tuple[Contradiction, ...], ...]
    floor: float | None
    signature: Signature

    row_fields = (
        "measures",
        "status",
        "n_samples",
        "samples_left_out",
        "windows",
        "nulls",
        "contradictions",
    )

    @property
    def main(self) -> str:
        """The first of the measures, which ``score`` gives."""
        return next(iter(self.measures))

    @property
    def score(self) -> Floats:
        """Values of the first measure, shape (n,)."""
        return self.measures[self.main]

    @property
    def n_contradicting(self) -> Integers:
        """How many samples of each item contradict its answer, shape (n,)."""
        return np.array([len({one.sample for one in found}) for found in self.contradictions], np.int64)

    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate the mean of each measure over all items and each group; the first one is the main one.

        Args:
            settings: ``by``, ``weights``, ``respondents``, and how intervals are made; see
                ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or a setting out of range.
        """
        return estimate_values(
            self.measures,
            self.status,
            bounds={name: MEASURES[name].bounds for name in self.measures},
            signature=self.signature,
            **settings,
        )

    def trust(self, correct: object, **settings: Unpack[TrustSettings]) -> Trust:
        """Give answers the probability of being right, and say which to accept, review and abstain from.

        Args:
            correct: shape (n,): true or 1 for right, false or 0 for wrong, missing where nobody has checked.
                The items that were checked must be a random sample of all.
            settings: as ``semscale.self_consistency.correctness_probability.estimate_trust`` takes them.

        Raises:
            InputError: as ``estimate_trust``.
        """
        return estimate_trust(self.measures, correct, nulls=self.nulls, **settings)

    def summarize(  # noqa: PLR0913 - what is known beside the values, all of it optional
        self,
        *,
        answers: object = None,
        samples: object = None,
        prompts: object = None,
        trust: Trust | None = None,
        replies: ReplyCounts | None = None,
        source: str = "",
        columns: tuple[tuple[str, str], ...] = (),
        **settings: Unpack[EstimateSettings],
    ) -> ConsistencySummary:
        """Sum up, for a report: estimates, what contradicts, and the items that are worth a look.

        Args:
            answers: the texts that were measured, as ``measure`` took them; without them no text is shown.
            samples: n lists of texts, likewise.
            prompts: shape (n,), the questions.
            trust: P(correct) and decisions, as ``trust`` gives them.
            replies: what asking took.
            source: what the data are called.
            columns: what columns were used for, each with its name.
            settings: of the estimates: ``by``, ``interval``, ``seed`` and others; see ``EstimateSettings``.

        Raises:
            InputError: another number of texts or prompts than of items, or a setting out of range.

        Example:
            >>> import semscale
            >>> answers, samples = ["Yes", "12"], [["yes", "Yes."], ["12", "13"]]
            >>> found = semscale.consistency(answers, samples, measures=["uncontradicted"])
            >>> found.summarize(answers=answers, samples=samples)
            ConsistencySummary(source='', n=2, n_scored=2, mean=0.75)
        """
        n = len(self)
        originals, lists = given_texts(answers, samples) if answers is not None else ([None] * n, [[]] * n)
        questions = [None] * n if prompts is None else as_list(prompts, "prompts")
        for name, given in (("answers", originals), ("prompts", questions)):
            if len(given) != n:
                raise InputError(f"{name} must have {n} rows, one for each item, got {len(given)}")
        texts = _Texts(questions, originals, lists)
        score = self.score
        lowest = np.argsort(score, kind="stable")[: min(KEPT_ITEMS, int((~np.isnan(score)).sum()))]
        guards = Counter(
            guard for found in self.contradictions for guard in {one.finding.guard for one in found}
        )
        return ConsistencySummary(
            source=source,
            columns=columns,
            n=n,
            counts={str(status): count for status, count in self.counts.items()},
            n_samples=int(self.n_samples.sum()),
            n_samples_left_out=int(self.samples_left_out.sum()),
            n_few_samples=int((self.n_samples[self.scored] < FEW_SAMPLES).sum()),
            n_windowed=self.n_windowed,
            n_contradicted=int((self.n_contradicting > 0).sum()),
            guards=dict(sorted(guards.items())),
            floor=self.floor,
            estimates=self.estimate(**settings),
            scores={name: values[~np.isnan(values)] for name, values in self.measures.items()},
            group_scores=self._group_scores(settings.get("by")),
            lowest=tuple(self._item(item, texts, trust) for item in lowest.tolist()),
            examples=self._examples(texts),
            signature=self.signature,
            trust=trust,
            replies=replies,
        )

    def _group_scores(self, by: object) -> dict[str | None, Floats]:
        if by is None:
            return {}
        groups: dict[str | None, list[float]] = {}
        for name, score in zip(as_names(by, "by"), self.score.tolist(), strict=True):
            groups.setdefault(name, []).append(score)
        columns = {name: np.array(scores) for name, scores in groups.items()}
        return {name: column[~np.isnan(column)] for name, column in columns.items()}

    def _item(self, item: int, texts: "_Texts", trust: Trust | None) -> ConsistencyItem:
        return ConsistencyItem(
            item=item + 1,
            measures={name: float(values[item]) for name, values in self.measures.items()},
            n_samples=int(self.n_samples[item]),
            contradictions=self.contradictions[item],
            prompt=_text(texts.prompts[item]),
            answer=_text(texts.answers[item]),
            samples=tuple(map(_text, texts.samples[item])),
            probability_correct=None if trust is None else float(trust.probability[item]),
            decision=None if trust is None else trust.decision[item],
        )

    def _examples(self, texts: "_Texts") -> dict[str, tuple[tuple[int, str], ...]]:
        """Find a few items without a value for each reason, each with a text of its own."""
        reasons = np.where(self.scored & np.isnan(self.score), NO_VALUE, self.status)
        found: dict[str, list[tuple[int, str]]] = {}
        for item in np.flatnonzero(np.isnan(self.score)).tolist():
            shown = found.setdefault(str(reasons[item]), [])
            text = next(filter(None, texts.of(item)), None)
            if text is not None and len(shown) < KEPT_EXAMPLES:
                shown.append((item + 1, text))
        return {reason: tuple(shown) for reason, shown in found.items()}

    def to_frame(self) -> pl.DataFrame:
        """Lay the items out as a table, one row each; what is missing is null.

        Returns:
            Columns ``status``, each measure, ``samples``, ``samples_left_out``, ``contradicting_samples``,
            each null, ``windows``, and ``contradictions`` (a list of structs; ``sample`` counts from 0).
        """
        floats = {**self.measures, **self.nulls}
        names = [*self.measures, "samples", "samples_left_out", "contradicting_samples", *self.nulls]
        whole = {
            "samples": self.n_samples,
            "samples_left_out": self.samples_left_out,
            "contradicting_samples": self.n_contradicting,
        }
        return pl.DataFrame(
            [
                pl.Series("status", [str(status) for status in self.status], dtype=pl.String),
                *(
                    pl.Series(name, floats[name], nan_to_null=True)
                    if name in floats
                    else pl.Series(name, whole[name])
                    for name in names
                ),
                pl.Series("windows", self.windows),
                pl.Series(
                    "contradictions",
                    [list(map(_shown, found)) for found in self.contradictions],
                    dtype=_SHOWN,
                ),
            ]
        )


@dataclass(frozen=True)
class _Texts:
    """The texts of n items, as they were given."""

    prompts: list[Any]
    answers: list[Any]
    samples: list[list[Any]]

    def of(self, item: int) -> Iterator[str]:
        """Texts of an item: its answer, its prompt and its samples, without white space around them."""
        cells = (self.answers[item], self.prompts[item], *self.samples[item])
        return ((_text(cell) or "").strip() for cell in cells)


def _text(cell: object) -> str | None:
    return None if is_missing(cell) else str(cell)


_SHOWN = pl.List(
    pl.Struct(
        {
            "sample": pl.Int64,
            **dict.fromkeys(("guard", "kind", "reason", "answer", "contradicting"), pl.String),
        }
    )
)


def _shown(contradiction: Contradiction) -> dict[str, object]:
    finding = contradiction.finding
    return {
        "sample": contradiction.sample,
        "guard": finding.guard,
        "kind": finding.kind,
        "reason": finding.reason,
        "answer": None if finding.prediction is None else finding.prediction.text,
        "contradicting": None if finding.reference is None else finding.reference.text,
    }
