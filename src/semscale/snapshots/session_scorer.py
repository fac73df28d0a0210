"""Scoring of outputs against approved ones, with one loaded model for a test session."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from semscale.guards.registry import GUARDS, Guards, Mode
from semscale.messages import known_settings
from semscale.types import Floats
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding.token_states import TokenEncoder
    from semscale.matching.bertscore import BertScorer
    from semscale.matching.calibrated import CalibratedMatch
    from semscale.matching.matches import Matches
    from semscale.matching.token_scores import Explanation
    from semscale.signature import Signature

# Word weights and floors are normally estimated from a corpus. This corpus has no words, so all words have
# the same weight, and a text's score depends only on its approved text, not on other snapshots.
_NO_CORPUS = (".",)

_GUARD_MODES = {"weigh": Mode.WEIGH, "fail": Mode.WEIGH, "warn": Mode.WARN, "off": Mode.OFF}


class SnapshotMeter:
    """Scores texts against approved texts; the model is loaded when the first text differs.

    Args:
        embedder: a known model, a folder, or ``organisation/model`` on the Hugging Face hub.
    """

    @known_settings
    def __init__(self, embedder: str = DEFAULT_MODEL) -> None:
        self.embedder = embedder
        self._matches: dict[Mode, CalibratedMatch] = {}

    @cached_property
    def measured_by(self) -> Mapping[str, str]:
        """Model with its hash, and hash of the match's weights: both decide the scores.

        Raises:
            ModelError: the model's files cannot be pulled.
        """
        from semscale.matching.calibrated import calibrated_weights_for
        from semscale.signature import Signature
        from semscale.weights.resolving import resolve

        files = resolve(self.embedder)
        model = f"{files.name}#{files.sha256[:12]}"
        return {"model": model, "match": calibrated_weights_for(Signature.of("embed", model=model)).label}

    @property
    def signature(self) -> "Signature":
        """What is applied where guards weigh."""
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

    def bertscore_f1(self, actual: Sequence[str], approved: Sequence[str]) -> Floats:
        """Return BERTScore's F1 of n pairs, shape (n,)."""
        return self._scorer.score(list(actual), list(approved)).f1

    def cosine(self, actual: Sequence[str], approved: Sequence[str]) -> Floats:
        """Return the cosine of n pairs, shape (n,)."""
        from semscale.matching.matcher import Matcher

        return Matcher("cosine", embedder=self.embedder).match(list(actual), list(approved)).score

    def explain(self, actual: str, approved: str) -> "Explanation":
        """Return for every token its best match in the other text."""
        return self._scorer.explain(actual, approved)

    def _method(self, mode: Mode) -> "CalibratedMatch":
        from semscale.matching.calibrated import CalibratedMatch

        if mode not in self._matches:
            looking = Guards(dict.fromkeys(GUARDS, mode))
            self._matches[mode] = CalibratedMatch(self._encoder, corpus=_NO_CORPUS, guards=looking)
        return self._matches[mode]

    @cached_property
    def _encoder(self) -> "TokenEncoder":
        from semscale.embedding.loading import load_token_encoder

        return load_token_encoder(self.embedder)

    @cached_property
    def _scorer(self) -> "BertScorer":
        from semscale.matching.bertscore import BertScorer

        return BertScorer(self._encoder)
