"""Rubrics: several criteria with questions, levels and weights, and the rule that combines them."""

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

import numpy as np

from semscale.errors import InputError
from semscale.judging.prompts.template import Level, Template
from semscale.judging.verdict import Provenance, Verdict
from semscale.types import Status

RULE = "weighted-mean"
"""The rule of combination: a mean by the criteria's weights, of their scores and of their expected scores."""

_SLACK = 1e-6
_FEWEST = 2
_LEAST_KNOWN_FIRST = tuple(
    Provenance(name) for name in ("single", "samples", "logprobs", "next-token", "decision")
)


@dataclass(frozen=True)
class Criterion:
    """One criterion of a rubric.

    Attributes:
        name: in columns and tables.
        template: its question and levels.
        weight: its share of the combined score, above 0 and up to 1.
    """

    name: str
    template: Template
    weight: float = 1.0


@dataclass(frozen=True)
class Rubric:
    """Criteria whose weights sum to 1.

    The combined score is the mean of the criteria's scores by their weights, and there is none where one
    criterion has none; a criterion's score is its likeliest level. The distribution is the mixture of theirs
    by the same weights, so that the expected score is the mean of the criteria's expected scores.

    Attributes:
        name: of the rubric.
        criteria: one or more.

    Raises:
        InputError: no criterion, two of one name, names whose columns would be the same, or weights that do
            not sum to 1.
    """

    name: str
    criteria: tuple[Criterion, ...]

    def __post_init__(self) -> None:
        names = [criterion.name for criterion in self.criteria]
        if not names:
            raise InputError("a rubric needs at least one criterion, got none")
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if twice is not None:
            raise InputError(f"criteria must have different names, got {twice!r} twice")
        for name, other in permutations(names, 2):
            if columns_of(name) & columns_of(other):
                raise InputError(
                    f"criteria {name!r} and {other!r} would have a column of the same name: rename one"
                )
        total = sum(criterion.weight for criterion in self.criteria)
        if any(not criterion.weight > 0 for criterion in self.criteria) or abs(total - 1) > _SLACK:
            raise InputError(
                f"weights must be above 0 and sum to 1, got {_listed(self.weights)}, which sum to {total:g}"
            )

    @property
    def weights(self) -> dict[str, float]:
        """The criteria's weights by their names."""
        return {criterion.name: criterion.weight for criterion in self.criteria}

    @cached_property
    def template(self) -> Template:
        """The template of the combined score: a level for every score that a criterion has.

        Example:
            >>> tone = Criterion("tone", spread("tone", "How kind?", [("rude", ""), ("kind", "")]), 0.5)
            >>> care = spread("care", "How careful?", [("not", ""), ("fairly", ""), ("very", "")])
            >>> care = Criterion("care", care, 0.5)
            >>> Rubric("mine", (tone, care)).template.scores.tolist()
            [0.0, 0.5, 1.0]
        """
        if len(self.criteria) == 1:
            return self.criteria[0].template
        found = {score for each in self.criteria for score in each.template.scores.tolist()}
        levels = tuple(Level(score=score, label=f"{score:.4g}") for score in sorted(found))
        return Template(name=self.name, task=f"{RULE} of {_listed(self.weights)}", levels=levels)

    @property
    def content_hash(self) -> str:
        """Eight hex digits of the SHA-256 over names, weights and everything that the judge reads."""
        content = [[each.name, each.weight, each.template.content_hash] for each in self.criteria]
        return hashlib.sha256(json.dumps([RULE, *content]).encode()).hexdigest()[:8]

    def varied(self, change: Callable[[Template], Template]) -> "Rubric":
        """The same rubric with a change of each criterion's template."""
        return Rubric(
            self.name, tuple(replace(each, template=change(each.template)) for each in self.criteria)
        )

    def combined(self, verdicts: Sequence[Verdict]) -> Verdict:
        """Combine the verdicts on one item.

        Args:
            verdicts: one for each criterion, in their order.
        """
        parts = tuple(verdicts)
        if len(parts) == 1:
            return parts[0]
        lost = [
            (criterion.name, verdict)
            for criterion, verdict in zip(self.criteria, parts, strict=True)
            if verdict.status is not Status.SCORED
        ]
        replies = tuple(dict.fromkeys(reply for verdict in parts for reply in verdict.replies))
        if lost:
            name, verdict = min(lost, key=lambda pair: _ORDER.index(pair[1].status))
            reason = f"criterion {name!r}: {verdict.reason}" if verdict.reason else f"criterion {name!r}"
            return replace(Verdict.without_score(verdict.status, reason, replies), criteria=parts)
        weights = list(self.weights.values())
        masses: dict[float, float] = {}
        for weight, verdict in zip(weights, parts, strict=True):
            for score, mass in verdict.distribution:
                masses[score] = masses.get(score, 0.0) + weight * mass
        covered = [verdict.covered for verdict in parts]
        provenances = [verdict.provenance for verdict in parts if verdict.provenance is not None]
        said = [
            f"{criterion.name}: {verdict.explanation}"
            for criterion, verdict in zip(self.criteria, parts, strict=True)
            if verdict.explanation
        ]
        return Verdict(
            score=float(np.dot(weights, [verdict.score for verdict in parts])),
            distribution=tuple(sorted(masses.items())),
            provenance=min(provenances, key=_LEAST_KNOWN_FIRST.index),
            covered=float(min(covered)) if not np.isnan(covered).any() else float("nan"),
            explanation="\n".join(said),
            replies=replies,
            status=Status.SCORED,
            order_bias=float(np.dot(weights, [verdict.order_bias for verdict in parts])),
            standard_error=math.hypot(
                *(weight * part.standard_error for weight, part in zip(weights, parts, strict=True))
            ),
            criteria=parts,
            weights=tuple(weights),
        )


def columns_of(name: str) -> set[str]:
    """Name a criterion's columns, without their prefix.

    Example:
        >>> sorted(columns_of("tone"))
        ['tone', 'tone_score', 'tone_status']
    """
    return {name, f"{name}_score", f"{name}_status"}


_ORDER = (Status.UNFINISHED, Status.FAILED, Status.UNPARSABLE, Status.REFUSED)


def alone(template: Template) -> Rubric:
    """Make the rubric of a template: one criterion with all weight."""
    return Rubric(template.name, (Criterion(template.name, template),))


def spread(name: str, question: str, levels: Sequence[tuple[str, str]]) -> Template:
    """Make a template of a question and levels from low to high, with scores spread evenly over 0 to 1.

    Args:
        name: of the criterion.
        question: that the judge answers.
        levels: two or more labels, each with its meaning, which may be empty.

    Raises:
        InputError: fewer than two levels, or two of one label.

    Example:
        >>> levels = [("rude", ""), ("neutral", ""), ("kind", "warm words")]
        >>> spread("tone", "How kind?", levels).scores.tolist()
        [0.0, 0.5, 1.0]
    """
    labels = [label for label, _ in levels]
    if len(set(labels)) < max(len(labels), _FEWEST):
        raise InputError(
            f"criterion {name!r} needs two or more levels with different labels, got {labels!r:.80}"
        )
    made = tuple(
        Level(score=place / (len(levels) - 1), number=place + 1, label=label, meaning=meaning)
        for place, (label, meaning) in enumerate(levels)
    )
    return Template(name=name, task=question, levels=made)


def _listed(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
