"""Linter of scales: embeds anchors and a ladder of probes, and says whether the scale can be used."""

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np

from semscale.embedding.embedder import anchor_embedder
from semscale.embedding.loading import as_embedder
from semscale.rating.anchors.floor import language_of_probes
from semscale.rating.anchors.model_sets import scale_for_model
from semscale.rating.lint.criteria import judge_scale, judge_set
from semscale.rating.lint.random_pairs import random_pair_cosine, unrelated_sentences
from semscale.rating.lint.report import Ladder, LintReport, SetLint, reliability
from semscale.rating.readouts.ssr import rate_vectors, similarity_pmf
from semscale.scales import Scale, load_scale, scale_names
from semscale.signature import Signature
from semscale.stats.agreement.correlations import pearson, spearman
from semscale.types import Floats, Progress
from semscale.weights.known import DEFAULT_RATING_MODEL

if TYPE_CHECKING:
    from pathlib import Path

    from semscale.embedding.embedder import Embedder

__all__ = ["LintReport", "lint"]


def lint(
    scale: "str | Path | Scale",
    *,
    embedder: "str | Path | Embedder | None" = None,
    progress: Progress | None = None,
) -> LintReport:
    """Embed a scale's anchors and probes, and judge each anchor set and all of them together.

    A scale without probes is tried on the probes of all scales that ship with Semscale. Their levels mean
    nothing on it, so only dead points and the agreement between sets can then be judged on the ladder.
    Anchor sets that serve other models are left out, as ``Rater`` does.

    Args:
        scale: a scale, the name of one that ships with Semscale, or a YAML file.
        embedder: turns texts into vectors: a known model, a folder, ``organisation/model`` on the Hugging
            Face hub, or what ``load_embedder`` gives; the default model of ratings unless given. A verdict
            holds for one embedder.
        progress: called while texts are embedded.

    Raises:
        InputError: the scale cannot be loaded, or ``embedder`` is none.
        ModelError: the model cannot be run.
    """
    engine = as_embedder(DEFAULT_RATING_MODEL if embedder is None else embedder)
    used = scale_for_model(load_scale(scale), engine)
    texts, levels = _ladder_texts(used)
    sentences = [anchor for anchors in used.anchor_sets.values() for anchor in anchors]
    embedded = engine.embed([*texts, *unrelated_sentences(used.language)], progress=progress)
    rows, n = embedded.vectors.astype(np.float64), len(texts)
    anchors = anchor_embedder(engine).embed(sentences).vectors.astype(np.float64)
    anchors = anchors.reshape(len(used.anchor_sets), used.n_points, -1)
    random_cosine = random_pair_cosine(rows[n:])
    sets, agreement = _lint_sets(used, anchors, rows[:n], levels, random_cosine)
    ladder = _rated(rows[:n], anchors, used.values, levels)
    of_all = judge_scale(used, ladder, levels, reliability(agreement))
    signature = Signature.of(
        "lint",
        scale=f"{used.name}#{used.content_hash}",
        probes=f"{len(texts)}#{_probes_hash(texts, levels)}",
        random_pairs=language_of_probes(used.language),
    )
    return LintReport(
        scale=used,
        signature=signature.extended(engine.signature),
        probes=texts,
        levels=levels,
        sets=sets,
        ladder=ladder,
        agreement=agreement,
        random_cosine=random_cosine,
        findings=(*(finding for one in sets for finding in one.findings), *of_all),
    )


def _ladder_texts(scale: Scale) -> tuple[tuple[str, ...], Floats]:
    """The scale's own probes from low to high, or every probe of the library with unknown levels."""
    if scale.probes:
        ordered = sorted(scale.probes, key=lambda probe: probe.level)
        return tuple(probe.text for probe in ordered), np.array([probe.level for probe in ordered])
    texts = dict.fromkeys(probe.text for name in scale_names() for probe in load_scale(name).probes)
    return tuple(texts), np.full(len(texts), np.nan)


def _probes_hash(texts: tuple[str, ...], levels: Floats) -> str:
    """Eight hex digits of the SHA-256 over texts and levels."""
    content = json.dumps([texts, levels.tolist()], separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()[:8]


def _lint_sets(
    scale: Scale, anchors: Floats, probes: Floats, levels: Floats, random_cosine: float
) -> tuple[tuple[SetLint, ...], Floats]:
    unjudged = [_measured(scale, row, anchors, probes, levels) for row in range(len(anchors))]
    agreement = _agreement([one.ladder.means for one in unjudged])
    sets = tuple(
        one.judged(judge_set(scale, one, np.delete(agreement[row], row), random_cosine))
        for row, one in enumerate(unjudged)
    )
    return sets, agreement


def _measured(scale: Scale, row: int, anchors: Floats, probes: Floats, levels: Floats) -> SetLint:
    own, others = anchors[row], np.delete(anchors, row, axis=0)
    cosines = np.clip(own @ own.T, -1, 1)
    other_scores = np.full(scale.n_points, np.nan)
    if len(others):
        scores = rate_vectors(others.reshape(-1, own.shape[1]), own).pmf @ scale.values
        other_scores = scores.reshape(len(others), scale.n_points).mean(axis=0)
    name = list(scale.anchor_sets)[row]
    return SetLint(
        name=name,
        anchors=scale.anchor_sets[name],
        cosines=cosines,
        own_scores=similarity_pmf(cosines) @ scale.values,
        other_scores=other_scores,
        ladder=_rated(probes, own, scale.values, levels),
    )


def _rated(probes: Floats, anchors: Floats, values: Floats, levels: Floats) -> Ladder:
    pmf = rate_vectors(probes, anchors).pmf
    means = pmf @ values
    spread = order = float("nan")
    if np.isfinite(levels).all() and len(np.unique(levels)) > 1:
        top, bottom = means[levels == levels.max()], means[levels == levels.min()]
        spread = float((top.mean() - bottom.mean()) / (values[-1] - values[0]))
        order = spearman(means, levels)
    return Ladder(
        pmf=pmf,
        means=means,
        peak_mass=pmf.max(axis=0),
        prominence=(pmf / pmf.max(axis=1, keepdims=True)).max(axis=0),
        spread=spread,
        spearman=order,
    )


def _agreement(means: list[Floats]) -> Floats:
    return np.array([[pearson(a, b) for b in means] for a in means], dtype=np.float64)
