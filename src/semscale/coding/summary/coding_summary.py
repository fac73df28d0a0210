"""Summary of coded answers: shares, calibration, agreement, pairs of codes, quotes and drivers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from semscale.coding.asked_codes import AskedCodes
from semscale.coding.code_calibration import CodeCalibration
from semscale.coding.codebook import CodeFrame
from semscale.coding.coding_decisions import Thresholds
from semscale.coding.summary.code_quotes import CodeQuotes, Quote
from semscale.coding.summary.code_shares import CodeShare
from semscale.coding.summary.coding_agreement import CodeAgreement
from semscale.coding.summary.cooccurrence import Cooccurrence
from semscale.coding.summary.drivers import Drivers
from semscale.coding.summary.group_tests import GroupTest
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan


@dataclass(frozen=True)
class CodedGroup:
    """Shares of one group.

    Attributes:
        name: of the group; ``None`` for answers without one.
        n: answers that could be read.
        shares: one for each code.
    """

    name: str | None
    n: int
    shares: tuple[CodeShare, ...]


@dataclass(frozen=True)
class CodedGrouping:
    """Shares by the groups of one column.

    Attributes:
        by: what the groups are called.
        groups: in order of first appearance.
        tests: whether shares differ between groups, one for each code; p is adjusted over these.
    """

    by: str
    groups: tuple[CodedGroup, ...]
    tests: tuple[GroupTest, ...]

    def tested_groups(self, test: GroupTest) -> tuple[str, ...]:
        """Names of the groups that took part in a test."""
        named = [one.name for one in self.groups if one.name is not None]
        return tuple(named[number] for number in test.tested)

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "groups": [
                {"group": one.name, "n": one.n, "codes": [_share_record(share) for share in one.shares]}
                for one in self.groups
            ],
            "tests": [
                {
                    "code": test.code,
                    "p_value": test.p_value,
                    "adjusted": test.adjusted,
                    "kind": test.kind,
                    "groups": self.tested_groups(test),
                }
                for test in self.tests
            ],
        }


@dataclass(frozen=True)
class CodingAgreement:
    """Krippendorff's alpha of each code; empty where there is nothing to compare with.

    Attributes:
        people: decisions beside what most people coded.
        between_people: people beside each other.
        runs: this run beside another one.
        other_run: what that is called.
    """

    people: tuple[CodeAgreement, ...]
    between_people: tuple[CodeAgreement, ...]
    runs: tuple[CodeAgreement, ...]
    other_run: str = ""


@dataclass(frozen=True, repr=False)
class CodingSummary(Presentable):
    """Figures of n coded answers.

    Attributes:
        source: what the table is called.
        column: of the answers.
        codebook: the codes.
        n: rows.
        sampled: rows of the random sample that corrected shares, those with weights, strata or clusters, the
            tests of both, agreement between runs and drivers are made from; ``None`` where all rows are.
            Everything else is of all rows.
        outcomes: rows by outcome.
        reasons: rows that have no code for a reason other than that none applies, by reason.
        shares: of all answers, one for each code.
        groupings: shares by group, one for each column of groups.
        min_base: answers below which a base is marked as small, and a group left out of tests.
        calibrations: one for each code.
        people: columns of what people coded.
        n_hand: answers that people coded.
        is_drawn: whether the probabilities are known with which these were drawn.
        agreement: with people, between people and between runs.
        pairs: how often codes come together.
        quotes: one for each code.
        drivers: of a rating; ``None`` without one.
        asked: what a chat model said as well; ``None`` where none was asked.
        thresholds: of probabilities.
        plan: how intervals are made.
        signature: what was applied.
        weight: the column of weights; empty without them.
        clusters: the column of what was drawn together; empty likewise.
        strata: the column of strata; empty likewise.
        input_notes: how the table was read, such as the rows that a condition left out.
        created: when.
    """

    source: str
    column: str
    codebook: CodeFrame
    n: int
    sampled: int | None
    outcomes: Mapping[str, int]
    reasons: Mapping[str, int]
    shares: tuple[CodeShare, ...]
    groupings: tuple[CodedGrouping, ...]
    min_base: int
    calibrations: tuple[CodeCalibration, ...]
    people: tuple[str, ...]
    n_hand: int
    is_drawn: bool
    agreement: CodingAgreement
    pairs: Cooccurrence
    quotes: tuple[CodeQuotes, ...]
    drivers: Drivers | None
    asked: AskedCodes | None
    thresholds: Thresholds
    plan: IntervalPlan
    signature: Signature
    weight: str = ""
    clusters: str = ""
    strata: str = ""
    input_notes: tuple[str, ...] = ()
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        coded = self.outcomes.get("coded", 0)
        codes = len(self.codebook.codes)
        return f"CodingSummary(source={self.source!r}, n={self.n:,}, n_coded={coded:,}, codes={codes})"

    @property
    def n_readable(self) -> int:
        """Answers that could be read, and have a weight above 0: the base of all shares."""
        return self.shares[0].n + self.shares[0].n_unsure

    @property
    def not_calibrated(self) -> tuple[str, ...]:
        """Codes that have no probabilities."""
        made = zip(self.codebook.names, self.calibrations, strict=True)
        return tuple(name for name, one in made if one.curve is None)

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "code",
            "source": self.source,
            "column": self.column,
            "created": self.created,
            "rows": self.n,
            "sampled": self.sampled,
            "readable": self.n_readable,
            "outcomes": self.outcomes,
            "reasons": self.reasons,
            "interval": self.plan.interval,
            "hand_coded": self.n_hand,
            "people": self.people,
            "asked": None if self.asked is None else self.asked.model,
            "asked_counts": {} if self.asked is None else self.asked.counts,
            "asked_partly": 0 if self.asked is None else self.asked.n_partly,
            "asked_lost": () if self.asked is None else self.asked.lost,
            "given_from": self.thresholds.given,
            "unsure_from": self.thresholds.unsure,
            "codes": [self._code_record(place) for place in range(len(self.codebook.codes))],
            "by": self.groupings[0].by if self.groupings else None,
            "weight": self.weight or None,
            "clusters": self.clusters or None,
            "strata": self.strata or None,
            "min_base": self.min_base,
            **(self.groupings[0].record() if self.groupings else {"groups": (), "tests": ()}),
            "further_groups": {one.by: one.record() for one in self.groupings[1:]},
            "pairs": {"counts": self.pairs.counts, "lift": self.pairs.lift},
            "drivers": self.drivers,
            "signature": self.signature,
        }

    def _code_record(self, place: int) -> dict[str, Any]:
        made, quotes = self.calibrations[place], self.quotes[place]
        figures, code = made.figures, self.codebook.codes[place]
        agreed = {
            "alpha_with_people": self.agreement.people,
            "alpha_between_people": self.agreement.between_people,
            "alpha_between_runs": self.agreement.runs,
        }
        return {
            **_share_record(self.shares[place]),
            "parent": code.parent,
            "calibrated": made.curve is not None,
            "labels_with": made.n_with,
            "labels_without": made.n_without,
            "brier": None if figures is None else figures.brier,
            "brier_of_share": None if figures is None else figures.brier_of_share,
            "calibration_error": None if figures is None else figures.error,
            "area": made.area,
            **{name: found[place].alpha if found else None for name, found in agreed.items()},
            "typical": [_quote_record(quote) for quote in quotes.typical],
            "borderline": [_quote_record(quote) for quote in quotes.borderline],
        }


def _share_record(share: CodeShare) -> dict[str, Any]:
    corrected = share.corrected
    return {
        "code": share.code,
        "n": share.n,
        "n_given": share.n_given,
        "n_unsure": share.n_unsure,
        "small_base": share.has_small_base,
        "counted": share.counted,
        "corrected": None
        if corrected is None
        else {
            "value": corrected.value,
            "low": corrected.low,
            "high": corrected.high,
            "n": corrected.n_labelled,
            "method": corrected.method,
            "note": corrected.note,
        },
    }


def _quote_record(quote: Quote) -> dict[str, Any]:
    return {"row": quote.row, "text": quote.text, "value": quote.value, "given": quote.given}
