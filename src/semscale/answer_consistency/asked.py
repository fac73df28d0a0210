"""Replies of a chat model, and how consistent they are."""

from dataclasses import dataclass
from typing import Unpack

from semscale.answer_consistency.asking.asking import Replies
from semscale.answer_consistency.consistencies import Consistencies
from semscale.answer_consistency.summary import ConsistencySummary
from semscale.results.estimating import EstimateSettings


@dataclass(frozen=True)
class Asked:
    """Replies to n prompts, and how consistent they are.

    Attributes:
        replies: answers and samples, and what it took to have them.
        consistencies: of the n prompts.
    """

    replies: Replies
    consistencies: Consistencies

    def summarize(self, prompts: object = None, **settings: Unpack[EstimateSettings]) -> ConsistencySummary:
        """Sum up for a report, as ``Consistencies.summarize``, with the answers and samples that came.

        Args:
            prompts: shape (n,), what was asked.
            settings: of the estimates: ``by``, ``interval``, ``seed`` and others.
        """
        replies = self.replies
        return self.consistencies.summarize(
            answers=replies.answers,
            samples=replies.samples,
            prompts=prompts,
            replies=replies.counts,
            **settings,
        )
