"""Forms of asking that a judge's model did not take, and why."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class FormRefusal:
    """A reason for which a model did not take a form.

    Attributes:
        form: how it was asked, such as ``decisions``, ``next-token`` or ``prose by a schema``.
        reason: in the words of the endpoint, as far as it gave any.
        n: requests that were refused for it.
    """

    form: str
    reason: str
    n: int

    def record(self) -> dict[str, Any]:
        """Lay it out by name, for JSON."""
        return asdict(self)


def counted_refusals(found: Iterable[tuple[str, str]]) -> tuple[FormRefusal, ...]:
    """Count refusals that are alike, in the order in which they came.

    Args:
        found: the form and the reason of each.

    Example:
        >>> counted_refusals([("decisions", "no route"), ("decisions", "no route")])
        (FormRefusal(form='decisions', reason='no route', n=2),)
    """
    return tuple(FormRefusal(form, reason, n) for (form, reason), n in Counter(found).items())


def refusals_in_words(refusals: Sequence[FormRefusal]) -> str:
    """Write refusals in a line.

    Example:
        >>> refusals_in_words(counted_refusals([("decisions", "no route"), ("systemone", "busy")]))
        'decisions: no route; systemone: busy'
        >>> refusals_in_words([FormRefusal("decisions", "HTTP 400", 3)])
        'decisions: HTTP 400 (3 requests)'
    """
    return "; ".join(
        f"{each.form}: {each.reason}" + (f" ({each.n} requests)" if each.n > 1 else "") for each in refusals
    )
