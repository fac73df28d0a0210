"""A judge as a ruler: how a chat model scores the anchors."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from semscale.chat.runner import Running
from semscale.errors import InputError
from semscale.history.anchor_sets import AnchorPair
from semscale.judging.judge import Judge
from semscale.signature import Signature
from semscale.types import Floats, Progress

QUESTION = "How well does the answer say what the reference answer says?"
"""What a judge is asked about each anchor unless another question is given."""

_FEWEST_REPEATS = 2


class JudgeRuler:
    """Reads pairs with a judge: its expected score of the output, beside the reference.

    Args:
        judge: what scores.
        question: what it is asked about each pair.
        repeats: how often a reference is read, at least 2: judges differ from themselves, and the fewer
            repeats, the greater the movement that counts as noise.
        running: how calls are made; a ledger is never used, as its replies would hide a judge that changed.

    Raises:
        InputError: too few repeats.
    """

    scores: Sequence[str] = ("judge",)
    is_exact = False
    rounding = 0.0

    def __init__(
        self, judge: Judge, *, question: str = QUESTION, repeats: int = 8, running: Running | None = None
    ) -> None:
        if repeats < _FEWEST_REPEATS:
            raise InputError(
                f"repeats must be at least {_FEWEST_REPEATS}, which show the judge's noise, got {repeats}"
            )
        self._judge, self._question, self.repeats = judge, question, repeats
        self._running = replace(running or Running(), ledger=False)

    @property
    def signature(self) -> Signature:
        """The judge's, as it asks where the model takes every option."""
        return self._judge.signature

    def readings(
        self, pairs: Sequence[AnchorPair], *, progress: Progress | None = None
    ) -> Mapping[str, Floats]:
        """Ask the judge about every pair; what it does not answer has no reading.

        Raises:
            ReplyError: no call can succeed.
        """
        verdicts = self._judge.judge(
            [self._question] * len(pairs),
            [pair.output for pair in pairs],
            references=[pair.reference for pair in pairs],
            running=self._running,
            progress=progress,
        )
        return {"judge": verdicts.expected}
