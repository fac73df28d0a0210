"""Comparison of outputs with approved ones: texts by meaning, numbers by difference."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from semscale.answer_consistency.pairs import contradicting
from semscale.drift.alignment import align
from semscale.drift.metrics import number_distances, span_of
from semscale.drift.settings import Direction
from semscale.errors import InputError
from semscale.guards.findings import Finding
from semscale.guards.registry import GUARDS, Guards, Mode
from semscale.history.items import Output
from semscale.messages import reject_unknown_settings
from semscale.snapshots.settings import SnapshotSettings
from semscale.types import Floats
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding.token_states import TokenEncoder
    from semscale.matching.bertscore import BertScorer
    from semscale.matching.calibrated import CalibratedMatch
    from semscale.matching.matches import Matches
    from semscale.matching.token_scores import Explanation
    from semscale.signature import Signature

SAME_WORDING = 0.75
"""Match before penalties from which a guard's finding of a contradiction fails a snapshot by itself.

With a penalty alone, a text that differs only by a "not" would pass. A finding is less certain between texts
with different wording, so there it only lowers the match.
"""

_WORSE: Mapping[Direction, float] = {"lower": 1.0, "higher": -1.0}
_ROUNDING = 1e-9  # so that 0.3 - 0.1 counts as 0.2

# Word weights and floors are normally estimated from a corpus. This corpus has no words, so all words have
# the same weight, and a text's score depends only on its approved text, not on other snapshots.
_NO_CORPUS = (".",)

_GUARD_MODES = {"weigh": Mode.WEIGH, "fail": Mode.WEIGH, "warn": Mode.WARN, "off": Mode.OFF}


@dataclass(frozen=True)
class Breach:
    """A limit that was breached.

    Attributes:
        setting: name of the setting, such as ``min_match``; ``wording`` if a guard found a contradiction and
            the texts have nearly the same wording.
        limit: the allowed value.
        value: the measured value; NaN if nothing could be measured.
    """

    setting: str
    limit: float
    value: float


@dataclass(frozen=True)
class SnapshotPair:
    """An output aligned with an approved one.

    Attributes:
        approved: index among the approved outputs, from 0.
        actual: index among the actual outputs, from 0.
        scores: ``match``, ``wording`` (the match before penalties), ``lost_content``, and ``bertscore_f1``
            and ``cosine`` if they have a limit; empty for equal texts.
        findings: findings of the guards; the actual output is the "prediction", the approved one the
            "reference".
        breaches: breached limits of the pair.
    """

    approved: int
    actual: int
    scores: Mapping[str, float] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    breaches: tuple[Breach, ...] = ()


@dataclass(frozen=True)
class SnapshotComparison:
    """Comparison of outputs with their snapshot.

    Attributes:
        approved: the outputs of the snapshot.
        actual: the outputs of this run.
        pairs: aligned pairs, in the order of the approved outputs.
        breaches: breached limits of the comparison as a whole.
        measured_by: model and weights that compared the texts; empty if all texts were equal.
    """

    approved: tuple[Output, ...]
    actual: tuple[Output, ...]
    pairs: tuple[SnapshotPair, ...]
    breaches: tuple[Breach, ...] = ()
    measured_by: Mapping[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """True if no limit was breached."""
        return not self.breaches and not any(pair.breaches for pair in self.pairs)

    @property
    def missing(self) -> tuple[int, ...]:
        """Indices of approved outputs without a partner."""
        return tuple(_without(range(len(self.approved)), (pair.approved for pair in self.pairs)))

    @property
    def extra(self) -> tuple[int, ...]:
        """Indices of actual outputs without a partner."""
        return tuple(_without(range(len(self.actual)), (pair.actual for pair in self.pairs)))


class SnapshotMeter:
    """Scores texts against approved texts; the model is loaded when the first text differs.

    Args:
        embedder: a known model, a folder, or ``organisation/model`` on the Hugging Face hub.
    """

    @reject_unknown_settings
    def __init__(self, embedder: str = DEFAULT_MODEL) -> None:
        self.embedder = embedder
        self._matches: dict[Mode, CalibratedMatch] = {}

    @cached_property
    def measured_by(self) -> Mapping[str, str]:
        """Name and hash of the model, and hash of the match's weights; scores depend on both.

        Raises:
            ModelError: the model's files cannot be pulled.
        """
        from semscale.matching.calibrated import load_weights_for
        from semscale.signature import Signature
        from semscale.weights.resolving import resolve

        files = resolve(self.embedder)
        model = f"{files.name}#{files.sha256[:12]}"
        return {"model": model, "match": load_weights_for(Signature.of("embed", model=model)).label}

    @property
    def signature(self) -> "Signature":
        """Signature of the match with guards that lower the score."""
        from semscale.matching.pairs import with_guards

        method = self._method(Mode.WEIGH)
        return with_guards(method.signature, method.guards)

    def match(self, actual: Sequence[str], approved: Sequence[str], guards: str) -> "Matches":
        """Return the calibrated matches of n pairs, with the guards' findings.

        Args:
            actual: n texts.
            approved: n texts.
            guards: one of ``semscale.snapshots.settings.GUARD_MODES``.
        """
        from semscale.matching.matcher import match_with

        method = self._method(_GUARD_MODES[guards])
        return match_with(method, list(actual), list(approved), guards=method.guards)

    def lost_content(self, actual: Sequence[str], approved: Sequence[str]) -> Floats:
        """Return the share of content that n texts lost, beyond the share that is new, shape (n,).

        The share is the word similarity by precision minus the word similarity by recall. A different wording
        lowers both; a shortened text lowers only recall. It is negative if more content is new than lost, and
        NaN for texts in different languages or texts that the model cannot read.
        """
        recall, precision = (self._words_alike(share, actual, approved) for share in (1.0, 0.0))
        return precision - recall

    def bertscore_f1(self, actual: Sequence[str], approved: Sequence[str]) -> Floats:
        """Return BERTScore's F1 of n pairs, shape (n,)."""
        return self._scorer.score(list(actual), list(approved)).f1

    def cosine(self, actual: Sequence[str], approved: Sequence[str]) -> Floats:
        """Return the cosine of n pairs, shape (n,)."""
        from semscale.matching.matcher import Matcher

        return Matcher("cosine", embedder=self.embedder).match(list(actual), list(approved)).score

    def explain(self, actual: str, approved: str) -> "Explanation":
        """Return the best match in the other text for every token."""
        return self._scorer.explain(actual, approved)

    def _method(self, mode: Mode) -> "CalibratedMatch":
        from semscale.matching.calibrated import CalibratedMatch

        if mode not in self._matches:
            looking = Guards(dict.fromkeys(GUARDS, mode))
            self._matches[mode] = CalibratedMatch(self._encoder, corpus=_NO_CORPUS, guards=looking)
        return self._matches[mode]

    def _words_alike(self, recall_share: float, actual: Sequence[str], approved: Sequence[str]) -> Floats:
        """Return the mean similarity of the word layers of the match, shape (n,)."""
        from semscale.matching.calibrated import LAYERS_OF_WORDS, CalibratedMatch, load_weights_for
        from semscale.matching.matcher import match_with

        guards = Guards(dict.fromkeys(GUARDS, Mode.OFF))
        method = CalibratedMatch(self._encoder, corpus=_NO_CORPUS, recall_share=recall_share, guards=guards)
        layers = match_with(method, list(actual), list(approved), guards=guards).components
        shares = load_weights_for(self._encoder.signature).shares
        weights = [shares[name] for name in LAYERS_OF_WORDS]
        return np.average([layers[name] for name in LAYERS_OF_WORDS], axis=0, weights=weights)

    @cached_property
    def _encoder(self) -> "TokenEncoder":
        from semscale.embedding.loading import load_token_encoder

        return load_token_encoder(self.embedder)

    @cached_property
    def _scorer(self) -> "BertScorer":
        from semscale.matching.bertscore import BertScorer

        return BertScorer(self._encoder)


def compare_outputs(
    approved: Sequence[Output], actual: Sequence[Output], settings: SnapshotSettings, meter: SnapshotMeter
) -> SnapshotComparison:
    """Compare outputs with approved ones; no model is loaded if all texts are equal.

    Outputs are aligned so that the sum of matches is greatest; their order does not matter.

    Args:
        approved: outputs of the snapshot, each with a text.
        actual: the outputs of this run; those without a text have no partner.
        settings: the limits to check.
        meter: scores texts.

    Raises:
        InputError: a limit is set for a number that no output has.
        ModelError: the model's files cannot be pulled or run.
    """
    fields = sorted({name for output in (*approved, *actual) for name in output.fields})
    _check_fields(fields, settings)
    differences = _differences(approved, actual, fields)
    pairs = _equal_texts(approved, actual, differences)
    left = _without(range(len(approved)), (pair.approved for pair in pairs))
    with_text = [position for position, output in enumerate(actual) if not output.is_silent]
    new = _without(with_text, (pair.actual for pair in pairs))
    measures = bool(left and new)
    if measures:
        pairs += _by_meaning(
            {position: approved[position].text or "" for position in left},
            {position: actual[position].text or "" for position in new},
            differences[np.ix_(left, new)],
            settings,
            meter,
        )
    checked = [
        replace(pair, breaches=_breaches(pair, approved[pair.approved], actual[pair.actual], settings))
        for pair in sorted(pairs, key=lambda pair: pair.approved)
    ]
    unpaired = len(approved) + len(actual) - 2 * len(checked)
    too_many = unpaired > settings.max_unpaired or (approved and not with_text)
    return SnapshotComparison(
        tuple(approved),
        tuple(actual),
        tuple(checked),
        (Breach("max_unpaired", settings.max_unpaired, unpaired),) if too_many else (),
        meter.measured_by if measures else {},
    )


def _check_fields(fields: Sequence[str], settings: SnapshotSettings) -> None:
    asked = {name: f"max_{name}_difference" for name in settings.max_differences}
    asked |= {name: f"{name}_direction" for name in settings.directions}
    for name, setting in asked.items():
        if name not in fields:
            known = f"they have {', '.join(fields)}" if fields else "they have no numbers"
            raise InputError(setting, f"needs outputs with {name!r}, but {known}")


def _differences(approved: Sequence[Output], actual: Sequence[Output], fields: Sequence[str]) -> Floats:
    """Return the differences of the outputs' numbers, shape (approved, actual)."""
    before, after = _numbers(approved, fields), _numbers(actual, fields)
    columns = np.concatenate([before, after]).T
    spans = np.array([span_of(column[~np.isnan(column)].tolist()) for column in columns])
    return number_distances(before, after, spans)


def _numbers(outputs: Sequence[Output], fields: Sequence[str]) -> Floats:
    rows = [[output.fields.get(name, math.nan) for name in fields] for output in outputs]
    return np.array(rows, np.float64).reshape(len(outputs), len(fields))


def _equal_texts(
    approved: Sequence[Output], actual: Sequence[Output], differences: Floats
) -> list[SnapshotPair]:
    """Pair outputs with the same text, those with the same numbers first."""
    positions: dict[str, tuple[list[int], list[int]]] = {}
    for side, outputs in enumerate((approved, actual)):
        for position, output in enumerate(outputs):
            if not output.is_silent:
                positions.setdefault((output.text or "").strip(), ([], []))[side].append(position)
    pairs = []
    for rows, columns in positions.values():
        if rows and columns:
            aligned = align(np.ones((len(rows), len(columns))), differences[np.ix_(rows, columns)])
            pairs += [SnapshotPair(rows[row], columns[column]) for row, column in aligned.tolist()]
    return pairs


def _by_meaning(
    approved: Mapping[int, str],
    actual: Mapping[int, str],
    differences: Floats,
    settings: SnapshotSettings,
    meter: SnapshotMeter,
) -> list[SnapshotPair]:
    """Pair texts that differ so that the sum of matches is greatest.

    Args:
        approved: approved texts by position.
        actual: actual texts by position.
        differences: differences of their numbers.
        settings: limits.
        meter: scores texts.
    """
    before, after = list(approved.values()), list(actual.values())
    matches = meter.match(after * len(before), [text for text in before for _ in after], settings.guards)
    similarity = np.nan_to_num(matches.score.reshape(len(before), len(after)), nan=0.0)
    rows, columns = align(similarity, differences).T.tolist()
    cells = [row * len(after) + column for row, column in zip(rows, columns, strict=True)]
    texts = [after[column] for column in columns], [before[row] for row in rows]
    scores: dict[str, Floats] = {
        "match": matches.score[cells],
        "wording": (matches.score / matches.components["findings"])[cells],
        "lost_content": meter.lost_content(*texts),
    }
    if settings.min_bertscore_f1 is not None:
        scores["bertscore_f1"] = meter.bertscore_f1(*texts)
    if settings.min_cosine is not None:
        scores["cosine"] = meter.cosine(*texts)
    return [
        SnapshotPair(
            list(approved)[row],
            list(actual)[column],
            {name: float(values[index]) for name, values in scores.items()},
            matches.findings[cell],
        )
        for index, (row, column, cell) in enumerate(zip(rows, columns, cells, strict=True))
    ]


def _breaches(
    pair: SnapshotPair, approved: Output, actual: Output, settings: SnapshotSettings
) -> tuple[Breach, ...]:
    asked = {
        "match": settings.min_match or None,  # 0 sets no limit
        "bertscore_f1": settings.min_bertscore_f1,
        "cosine": settings.min_cosine,
    }
    breaches = []
    for metric, limit in asked.items():
        score = pair.scores.get(metric)
        if limit is not None and score is not None and not score >= limit - _ROUNDING:
            breaches.append(Breach(f"min_{metric}", limit, score))
    lost = pair.scores.get("lost_content", math.nan)
    if lost > settings.max_lost_content + _ROUNDING:
        breaches.append(Breach("max_lost_content", settings.max_lost_content, lost))
    breaches += _contradictions(pair, settings)
    for name in sorted({*approved.fields, *actual.fields}):
        limit = settings.max_differences.get(name, 0.0)
        difference = actual.fields.get(name, math.nan) - approved.fields.get(name, math.nan)
        difference *= _WORSE.get(settings.directions.get(name, "either"), math.copysign(1.0, difference))
        if not difference <= limit + _ROUNDING:
            breaches.append(Breach(f"max_{name}_difference", limit, difference))
    return tuple(breaches)


def _contradictions(pair: SnapshotPair, settings: SnapshotSettings) -> list[Breach]:
    """Return a breach for any finding if guards fail, or for a contradiction in nearly the same wording."""
    if settings.guards == "fail" and pair.findings:
        return [Breach("guards", 0, len(pair.findings))]
    wording = pair.scores.get("wording", math.nan)
    if settings.guards == "weigh" and wording >= SAME_WORDING and contradicting(pair.findings):
        return [Breach("wording", SAME_WORDING, wording)]
    return []


def _without(positions: Iterable[int], excluded: Iterable[int]) -> list[int]:
    left_out = set(excluded)
    return [position for position in positions if position not in left_out]
