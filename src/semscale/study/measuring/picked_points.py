"""Reads the point of a scale that a reply picks, strictly: no score is made of a reply that states none."""

import numpy as np

from semscale.chat.replies import Reply
from semscale.judging.prompts.template import Template
from semscale.judging.replies import read_reply
from semscale.scales import Scale
from semscale.types import Status

Picked = tuple[Status, int | None]
"""``SCORED`` and the point's number from 0; or ``REFUSED``, ``EMPTY`` or ``UNPARSABLE``, and ``None``."""


class PointReader:
    """Reads which point of a scale replies pick; equal replies are read once.

    Args:
        scale: the scale.

    Example:
        >>> from semscale.scales import load_scale
        >>> reader = PointReader(load_scale("purchase-intent"))
        >>> [reader.read(Reply(text))[1] for text in ("4", "2 or 3", "I would give it a 5.")]
        [3, None, 4]
    """

    def __init__(self, scale: Scale) -> None:
        self._template = Template.from_scale(scale)
        self._read: dict[tuple[str, bool], Picked] = {}

    def read(self, reply: Reply) -> Picked:
        """Read a reply to a request for one number of the scale."""
        key = reply.text, reply.finish_reason == "length"
        if key not in self._read:
            self._read[key] = self._picked(*key)
        return self._read[key]

    def _picked(self, text: str, is_cut: bool) -> Picked:
        read = read_reply(text, self._template, cut=is_cut)
        if read.score is None:
            return Status(read.status), None
        return Status.SCORED, int(np.abs(self._template.scores - read.score).argmin())
