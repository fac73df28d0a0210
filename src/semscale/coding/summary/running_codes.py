"""Figures of coded answers that are added up part by part, exact for any number of rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from semscale.coding.coding import Coding
from semscale.coding.summary.beside_answers import BesideAnswers
from semscale.coding.summary.code_counts import CodeCounts, GroupCount
from semscale.coding.summary.code_quotes import QuoteChoice
from semscale.coding.summary.code_shares import counting
from semscale.coding.summary.cooccurrence import PairCounts
from semscale.errors import InputError
from semscale.results.tallies import check_groups
from semscale.types import Floats, Integers, are_scored


class RunningCodes:
    """Counts what became of answers, their codes by group, pairs of codes, and the answers to show.

    Args:
        codes: k names.
        given_from: shape (k,), values from which codes are given.

    Attributes:
        n: answers so far.
        names: number of each group by its name, in order of first appearance, by the column of groups.
        by: counts of the groups, by the column.
        pairs: how often codes come together.
        quotes: the answers to show.
    """

    def __init__(self, codes: Sequence[str], given_from: Floats) -> None:
        self.n, self._k = 0, len(codes)
        self._outcomes, self._reasons = Counter[str](), Counter[str]()
        self._overall = CodeCounts(self._k)
        self.names: dict[str, dict[str | None, int]] = {}
        self.by: dict[str, CodeCounts] = {}
        self.pairs = PairCounts(self._k)
        self.quotes = QuoteChoice(codes, given_from)

    @property
    def overall(self) -> GroupCount:
        """Counts of all answers."""
        return self._overall[0] if len(self._overall) else GroupCount.none(self._k)

    @property
    def outcomes(self) -> Mapping[str, int]:
        """Answers by outcome, the most frequent first."""
        return dict(self._outcomes.most_common())

    @property
    def reasons(self) -> Mapping[str, int]:
        """Likewise, answers by the reason why they have no code."""
        return dict(self._reasons.most_common())

    def add(self, coding: Coding, texts: Sequence[Any], beside: BesideAnswers) -> dict[str, Integers]:
        """Take the next answers.

        Args:
            coding: of m answers.
            texts: the m answers.
            beside: what stands beside them.

        Returns:
            The number of each answer's group, shape (m,), by the column of groups.

        Raises:
            InputError: a column names more than 100,000 groups.
        """
        decisions, weights = coding.decisions, beside.design.weights
        counted = counting(decisions, beside.design)
        self._outcomes.update(map(str, decisions.outcome))
        self._reasons.update(str(each) for each in decisions.reason if each is not None)
        self._overall.add(np.zeros(len(counted), np.int64), decisions.given, counted, weights)
        self.pairs.add(decisions.given)
        shown = [
            str(text) if read else None
            for text, read in zip(texts, are_scored(coding.text_status), strict=True)
        ]
        self.quotes.add(shown, coding.values, decisions.given, self.n)
        self.n += len(counted)
        groups = {column: self._numbered(column, names) for column, names in beside.by.items()}
        for column, numbers in groups.items():
            self.by.setdefault(column, CodeCounts(self._k)).add(numbers, decisions.given, counted, weights)
        return groups

    def check_weights(self, weight: str) -> None:
        """Refuse weights that sum to 0 in all rows or in a group.

        Args:
            weight: name of their column.

        Raises:
            InputError: they do.
        """
        if not self.overall.weight > 0:
            raise InputError(f"weight: the weights in column '{weight}' sum to 0")
        for column, names in self.names.items():
            for name, number in names.items():
                count = self.by[column][number]
                if name is not None and not count.weight > 0:
                    raise InputError(
                        f"weight: the weights of group '{name}' in column '{column}' sum to 0 over "
                        f"{count.rows} rows"
                    )

    def _numbered(self, column: str, names: Sequence[str | None]) -> Integers:
        known = self.names.setdefault(column, {})
        numbers = np.array([known.setdefault(name, len(known)) for name in names], np.int64)
        check_groups(known)
        return numbers
