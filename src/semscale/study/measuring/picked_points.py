"""Reads the point of a scale that a reply picks, strictly: no score is made of a reply that states none."""

import numpy as np

from semscale.chat.replies import Reply
from semscale.judging.prompts.template import Template
from semscale.judging.replies.reading import read_reply
from semscale.scales import Scale
from semscale.types import Status


def picked_point(reply: Reply, scale: Scale) -> tuple[Status, int | None]:
    """Read which point a reply picks.

    Args:
        reply: to a request for one number of the scale.
        scale: the scale.

    Returns:
        ``SCORED`` and the point's number from 0; or ``REFUSED``, ``EMPTY`` or ``UNPARSABLE``, and ``None``.

    Example:
        >>> from semscale.scales import load_scale
        >>> scale = load_scale("purchase-intent")
        >>> [picked_point(Reply(text), scale)[1] for text in ("4", "2 or 3", "I would give it a 5.")]
        [3, None, 4]
    """
    template = Template.from_scale(scale)
    read = read_reply(reply.text, template, cut=reply.finish_reason == "length")
    if read.score is None:
        return Status(read.status), None
    return Status.SCORED, int(np.abs(template.scores - read.score).argmin())
