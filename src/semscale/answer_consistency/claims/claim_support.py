"""Judges claims by the sentences of other texts: supported, contradicted, or not found there."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from semscale.answer_consistency.meanings.relations import distinct_entailments
from semscale.answer_consistency.scoring.contradictions import contradicting
from semscale.guards.findings import Finding
from semscale.matching.entailment.choices import chosen_model
from semscale.matching.entailment.probabilities import CONTRADICTION, ENTAILMENT, EntailmentModel
from semscale.matching.entailment.sentences import worded_sentences
from semscale.matching.matcher import Matcher
from semscale.matching.methods import CorpusDependent
from semscale.signature import Signature
from semscale.types import Floats, Mask, Progress
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding import Embedder
    from semscale.embedding.tokens.token_states import TokenEncoder

SUPPORTS = 0.6
"""Score by ``calibrated`` from which a sentence supports a claim.

Of STS-B dev pairs, the second sentence judged by the first, 94 % of those that people rate 4 or more of 5 are
supported, and 4 % of those rated 2 or less.
"""
RELATED = 0.3
"""Score from which a sentence is about the same, so that what a guard finds contradicts the claim.

Of STS-B dev pairs rated below 1 this calls 5 % a contradiction, and 2 % of those rated 4 or more.
"""
MORE_LIKELY = 0.5
"""Probability from which a model of entailment says that a claim is entailed, or contradicted."""


_CONTRADICT = ("negation", "opposite", "number", "name")  # guards whose findings contradict a claim


class Support(StrEnum):
    """What other texts say of a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not-found"
    UNREAD = "unread"  # the model cannot read the claim, or none of the sentences


@dataclass(frozen=True)
class ClaimVerdict:
    """One claim, and what other texts say of it.

    Attributes:
        claim: a sentence of the answer.
        verdict: what they say.
        score: how far the deciding sentence supports the claim, 0 to 1; NaN where nothing could be compared.
        sentence: the sentence that decides; for a claim that is not found the nearest one. ``None`` where
            there is none.
        text: which of the given texts it stands in, from 0; -1 where there is none.
        reason: why it contradicts the claim, or, of a claim that is not found, what a guard found that keeps
            the nearest sentence from supporting it; ``None`` otherwise, and with a model of entailment.
    """

    claim: str
    verdict: Support
    score: float
    sentence: str | None = None
    text: int = -1
    reason: str | None = None


class ClaimJudge:
    """Judges claims by the sentences of texts.

    Without a model of entailment a sentence supports a claim if its ``calibrated`` score, of how far the
    sentence backs all of the claim, reaches .6 and no guard finds a contradiction, and contradicts it if
    a guard finds one and the score reaches .3. What these guards find (negations, opposites, numbers,
    names) does not lower the score; what the others find (swapped roles, quantity words and so on) does,
    so that such a sentence does not support the claim; where it alone stands in the way, it is named.
    With a model, a sentence supports or contradicts a claim if that is more probable than not. Where one
    sentence supports and another contradicts, the one with the higher value decides.

    Args:
        embedder: a known model, a folder, ``organisation/model`` on the hub, or an embedder.
        nli: a model of entailment, likewise, or as ``load_nli`` gives it.

    Raises:
        InputError: what is given is no model.
    """

    def __init__(
        self,
        *,
        embedder: "str | Path | Embedder | TokenEncoder" = DEFAULT_MODEL,
        nli: str | Path | EntailmentModel | None = None,
    ) -> None:
        self._nli = None if nli is None else chosen_model(nli)
        warned = dict.fromkeys(_CONTRADICT, "warn")  # the others weigh
        self._matcher = (
            None
            if self._nli is not None
            else Matcher("calibrated", embedder=embedder, recall_share=0.0, guards=warned)
        )

    @property
    def uses_entailment(self) -> bool:
        """Whether a model of entailment decides."""
        return self._nli is not None

    def over(self, corpus: Sequence[str]) -> "ClaimJudge":
        """Return the judge with word weights and levels from a corpus, not from the texts of each call.

        Args:
            corpus: sentences; a model of entailment estimates nothing from them.
        """
        if self._matcher is None or not isinstance(self._matcher.pair_method, CorpusDependent):
            return self
        other = copy(self)
        other._matcher = copy(self._matcher)
        other._matcher.pair_method = self._matcher.pair_method.over(corpus)
        return other

    @property
    def signature(self) -> Signature:
        """What is applied."""
        if self._matcher is not None:
            settings = Signature.of("claims", supports=SUPPORTS, related=RELATED)
            return settings.extended(self._matcher.signature)
        by = self._nli.signature if self._nli is not None else Signature.of("none")
        return Signature.of("claims", more_likely=MORE_LIKELY).extended(by)

    def judge(
        self, claims: Sequence[str], texts: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> list[ClaimVerdict]:
        """Judge each claim by its own texts; all pairs of all claims are scored together.

        Args:
            claims: c sentences.
            texts: c lists of texts.
            progress: called while texts are embedded.
        """
        found = [_Sentences.of(each) for each in texts]
        premises = [sentence for each in found for sentence in each.sentences]
        counts = [len(each.sentences) for each in found]
        hypotheses = [claim for claim, n in zip(claims, counts, strict=True) for _ in range(n)]
        read = self._by_entailment(premises, hypotheses) if self._nli else None
        scored = read or self._by_matching(premises, hypotheses, progress)
        bounds = np.cumsum([0, *counts])
        return [
            _verdict(claim, sentences, scored.take(slice(start, stop)))
            for claim, sentences, start, stop in zip(claims, found, bounds, bounds[1:], strict=False)
        ]

    def _by_entailment(self, premises: list[str], hypotheses: list[str]) -> "_Scored":
        model = self._nli
        values = np.zeros((0, 3)) if model is None or not premises else distinct_entailments(
            model, premises, hypotheses
        )  # fmt: skip
        entailed, denied = values[:, ENTAILMENT], values[:, CONTRADICTION]  # NaN is neither
        none: list[str | None] = [None] * len(values)
        return _Scored(
            entailed,
            entailed >= MORE_LIKELY,
            denied >= MORE_LIKELY,
            denied,
            none,
            nearness=entailed,
            doubts=none,
        )

    def _by_matching(
        self, premises: list[str], hypotheses: list[str], progress: Progress | None
    ) -> "_Scored":
        if self._matcher is None or not premises:
            empty = np.zeros(0)
            return _Scored(empty, empty > 0, empty > 0, empty, [], nearness=empty, doubts=[])
        matches = self._matcher.match(hypotheses, premises, progress=progress)
        reasons = [_reason(contradicting(findings)) for findings in matches.findings]
        told = np.array([reason is not None for reason in reasons], bool)
        score = matches.score
        supports, related = score >= SUPPORTS, score >= RELATED  # NaN is neither
        nearness = score / matches.components["findings"]  # the score before findings lowered it
        doubts = [
            _reason([one for one in findings if one.guard not in _CONTRADICT]) if held_back else None
            for findings, held_back in zip(matches.findings, ~supports & (nearness >= SUPPORTS), strict=True)
        ]
        return _Scored(
            score, supports & ~told, related & told, score, reasons, nearness=nearness, doubts=doubts
        )


@dataclass(frozen=True)
class _Sentences:
    sentences: tuple[str, ...]
    texts: tuple[int, ...]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "_Sentences":
        split = [(sentence, at) for at, text in enumerate(texts) for sentence in worded_sentences(text)]
        return cls(tuple(one for one, _ in split), tuple(at for _, at in split))


@dataclass(frozen=True)
class _Scored:
    """Sentences beside a claim: how far each supports it, whether it does, whether it contradicts it.

    Nearness is the score before findings lowered it; doubts are the findings that kept a sentence from
    supporting the claim.
    """

    score: Floats
    supports: Mask
    denies: Mask
    against: Floats
    reasons: Sequence[str | None]
    nearness: Floats
    doubts: Sequence[str | None]

    def take(self, rows: slice) -> "_Scored":
        return replace(
            self, score=self.score[rows], supports=self.supports[rows], denies=self.denies[rows],
            against=self.against[rows], reasons=self.reasons[rows], nearness=self.nearness[rows],
            doubts=self.doubts[rows],
        )  # fmt: skip


def _verdict(claim: str, sentences: _Sentences, scored: _Scored) -> ClaimVerdict:
    if not len(scored.score):
        return ClaimVerdict(claim, Support.NOT_FOUND, np.nan)
    if np.isnan(scored.score).all():
        return ClaimVerdict(claim, Support.UNREAD, np.nan)
    backing = np.where(scored.supports, scored.score, -1.0)
    denying = np.where(scored.denies, scored.against, -1.0)
    verdict, at = Support.NOT_FOUND, int(np.nanargmax(scored.nearness))
    reason = scored.doubts[at]
    if scored.supports.any() and backing.max() >= denying.max():
        verdict, at, reason = Support.SUPPORTED, int(backing.argmax()), None
    elif scored.denies.any():
        verdict, at = Support.CONTRADICTED, int(denying.argmax())
        reason = scored.reasons[at]
    return ClaimVerdict(
        claim, verdict, float(scored.score[at]), sentences.sentences[at], sentences.texts[at], reason
    )


def _reason(findings: Sequence[Finding]) -> str | None:
    """Speak of the claim and the sentence in the first finding's reason; ``None`` without a finding."""
    return (
        findings[0].reason.replace("prediction", "claim").replace("reference", "sentence")
        if findings
        else None
    )
