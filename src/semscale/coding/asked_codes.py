"""What a chat model said about the codes of answers, and where it said nothing that counts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from semscale.judging.verdict import Verdict
from semscale.signature import Signature
from semscale.types import Floats, Integers, ObjectArray, Status


@dataclass(frozen=True)
class LostReply:
    """One answer about which a chat model said nothing that counts, shown for all that share its status.

    Attributes:
        status: ``refused``, ``unparsable`` or ``failed``.
        row: of the answer, from 1.
        reply: the model's words; empty where no reply came, or the endpoint sent no words.
        reason: what went wrong, in words.
    """

    status: Status
    row: int
    reply: str
    reason: str


@dataclass(frozen=True)
class AskedCodes:
    """What a chat model said about n answers and k codes.

    Attributes:
        model: its name.
        probability: shape (n, k), of yes as the model states it; NaN where it stated none.
        status: shape (n,), a ``Status``: ``scored`` where it spoke of every code, else why not; ``None`` for
            answers that it was not asked about.
        lost: the first answer of each other status.
        signature: of what was asked.
    """

    model: str
    probability: Floats
    status: ObjectArray
    lost: tuple[LostReply, ...]
    signature: Signature

    @property
    def n_asked(self) -> int:
        """Answers that it was asked about."""
        return sum(each is not None for each in self.status)

    @property
    def counts(self) -> Mapping[str, int]:
        """Answers that it was asked about, by status, the most frequent first."""
        return dict(Counter(str(each) for each in self.status if each is not None).most_common())

    @property
    def n_partly(self) -> int:
        """Answers that are not ``scored``, but have a probability for some of the codes."""
        some = ~np.isnan(self.probability).all(axis=1)
        return int((some & (self.status != Status.SCORED)).sum())

    def some(self, rows: Integers) -> "AskedCodes":
        """Keep what was said about some answers, by their numbers from 0; the answers that are shown stay."""
        return replace(self, probability=self.probability[rows], status=self.status[rows])

    def placed(self, rows: Integers, n: int) -> "AskedCodes":
        """The same as rows of a longer table, in which nobody asked about the others.

        Args:
            rows: shape (m,), numbers from 0 of the m answers that were asked about.
            n: rows of the table.
        """
        probability: Floats = np.full((n, self.probability.shape[1]), np.nan)
        status: ObjectArray = np.full(n, None, dtype=object)
        probability[rows], status[rows] = self.probability, self.status
        lost = tuple(replace(each, row=int(rows[each.row - 1]) + 1) for each in self.lost)
        return replace(self, probability=probability, status=status, lost=lost)


def asked_codes(verdicts: Sequence[Verdict], k: int, *, model: str, signature: Signature) -> AskedCodes:
    """Read the verdicts on n answers as probabilities of codes.

    Args:
        verdicts: one for each answer, with a verdict on each of k codes among its criteria.
        k: codes, 2 or more.
        model: name of the chat model.
        signature: of what was asked.
    """
    probability: Floats = np.full((len(verdicts), k), np.nan)
    status: ObjectArray = np.full(len(verdicts), None, dtype=object)
    lost: dict[Status, LostReply] = {}
    for row, verdict in enumerate(verdicts):
        status[row] = verdict.status
        if verdict.criteria:
            probability[row] = [part.expected for part in verdict.criteria]
        if verdict.status is not Status.SCORED and verdict.status not in lost:
            lost[verdict.status] = LostReply(verdict.status, row + 1, _words(verdict), verdict.reason)
    return AskedCodes(model, probability, status, tuple(lost.values()), signature)


def _words(verdict: Verdict) -> str:
    """Quote the last reply on the first code that made the verdict what it is."""
    part = next((each for each in verdict.criteria if each.status is verdict.status), verdict)
    return part.replies[-1] if part.replies else ""
