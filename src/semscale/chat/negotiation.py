"""Negotiation of the form of requests: which form a model accepts, as the outcomes of the first items show.

An endpoint may lack typed decisions, replies by a schema or log-probabilities, and reports it in many ways.
So the forms are tried in order. An item may be refused for its content, so a single refusal does not end a
form, unless only the form can be its reason.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Generic, TypeVar

from semscale.chat.messages import CallError, FailureKind

TRIED_ITEMS = 3
"""Number of items to try in a form before it counts as refused, as one may be refused by itself."""

Form = TypeVar("Form", bound=Hashable)


class Evidence(IntEnum):
    """Evidence of an outcome about the form of its request; of several outcomes, the greatest counts."""

    NOTHING = 0  # a content filter reads the item first, and a temporary failure may have any reason
    MALFORMED = 1  # an answer that cannot be read may be damaged, or of another interface
    ITEM_OR_FORM = 2  # refused, perhaps because of the item
    ACCEPTED = 3
    FORM = 4  # refused, and certainly because of the form

    @classmethod
    def from_failure(cls, failure: CallError | None) -> "Evidence":
        """Return the evidence of a call's failure; without a failure, the form is accepted.

        Examples:
            >>> [
            ...     Evidence.from_failure(CallError("no", kind=kind)).name
            ...     for kind in (FailureKind.REFUSED, FailureKind.REJECTED, FailureKind.UNSUPPORTED)
            ... ]
            ['NOTHING', 'ITEM_OR_FORM', 'FORM']
        """
        return cls.ACCEPTED if failure is None else _EVIDENCE.get(failure.kind, cls.NOTHING)


_EVIDENCE = {
    FailureKind.UNSUPPORTED: Evidence.FORM,
    FailureKind.REJECTED: Evidence.ITEM_OR_FORM,
    FailureKind.BROKEN: Evidence.ITEM_OR_FORM,
    FailureKind.MALFORMED: Evidence.MALFORMED,
}
AGAINST = frozenset(_EVIDENCE.values())
"""Evidence that the form may not be accepted."""


@dataclass(frozen=True)
class FormRefusal:
    """A reason why a model did not accept a form.

    Attributes:
        form: name of the form, such as ``decisions``, ``next-token`` or ``prose by a schema``.
        reason: the endpoint's reason, if it stated one.
        n: number of requests that were refused for this reason.
    """

    form: str
    reason: str
    n: int


def refusals_in_words(refusals: Sequence[FormRefusal]) -> str:
    """Write refusals as one line of text.

    Examples:
        >>> refusals_in_words([FormRefusal("decisions", "HTTP 400", 3), FormRefusal("next-token", "busy", 1)])
        'decisions: HTTP 400 (3 requests); next-token: busy'
    """
    return "; ".join(
        f"{refusal.form}: {refusal.reason}" + (f" ({refusal.n} requests)" if refusal.n > 1 else "")
        for refusal in refusals
    )


class Negotiation(Generic[Form]):
    """Finds the form of requests that a model accepts.

    Groups are tried one after the other. The forms of a group differ in options, which endpoints refuse at
    once, so each item is tried in all of them before the next item.

    A form is refused if an outcome shows it for certain. Unless it was accepted before, it is also refused
    after three items that failed in it, or if an item was refused in it and no further item is left.

    Args:
        groups: forms in the order to try, such as one group for each.
        n_items: number of items to try, of which at most three are used; ``None`` if the caller chooses them.

    Examples:
        A model without decisions, and with log-probabilities:

        >>> negotiation = Negotiation(["decisions"], ["letters"], n_items=5)
        >>> negotiation.trial
        ('decisions', 0)
        >>> negotiation.note("decisions", Evidence.ITEM_OR_FORM, "HTTP 400")
        >>> negotiation.trial  # the first item may be the reason
        ('decisions', 1)
        >>> negotiation.note("decisions", Evidence.FORM, "no route")
        >>> negotiation.trial
        ('letters', 0)
        >>> negotiation.note("letters", Evidence.ACCEPTED)
        >>> negotiation.trial, negotiation.form
        (None, 'letters')
        >>> refusals_in_words(negotiation.refusals)
        'decisions: HTTP 400; decisions: no route'
    """

    def __init__(self, *groups: Sequence[Form], n_items: int | None = None) -> None:
        self._groups = groups
        self._n_items = None if n_items is None else min(n_items, TRIED_ITEMS)
        self._n_tried: Counter[Form] = Counter()
        self._evidence: defaultdict[Form, Counter[Evidence]] = defaultdict(Counter)
        self._refusals: Counter[tuple[Form, str]] = Counter()

    @property
    def trial(self) -> tuple[Form, int] | None:
        """The form to try next, and the index of the item; ``None`` if the negotiation has ended."""
        for group in self._groups:
            forms = [form for form in group if not self.is_refused(form)]
            if forms:
                form = min(forms, key=self._n_tried.__getitem__)
                has_ended = any(map(self.is_accepted, forms)) or not self._has_items(form)
                return None if has_ended else (form, self._n_tried[form])
        return None

    @property
    def form(self) -> Form | None:
        """The accepted form, or else the first that is not refused; ``None`` if all are refused."""
        return next(filter(self.is_accepted, self.forms), next(iter(self.forms), None))

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms that are not refused, in the order to try."""
        return tuple(form for group in self._groups for form in group if not self.is_refused(form))

    @property
    def refusals(self) -> tuple[FormRefusal, ...]:
        """The reasons of all refusals, in the order in which they first appeared."""
        return tuple(FormRefusal(str(form), reason, n) for (form, reason), n in self._refusals.items())

    def is_accepted(self, form: Form) -> bool:
        """Return whether the model accepted a form, and did not refuse it for certain later."""
        return bool(self._evidence[form][Evidence.ACCEPTED]) and not self.is_refused(form)

    def is_refused(self, form: Form) -> bool:
        """Return whether the model does not accept a form."""
        n = self._evidence[form]
        if n[Evidence.FORM] or n[Evidence.ACCEPTED]:
            return bool(n[Evidence.FORM])
        if n[Evidence.ITEM_OR_FORM] + n[Evidence.MALFORMED] >= TRIED_ITEMS:
            return True
        return bool(n[Evidence.ITEM_OR_FORM]) and not self._has_items(form)

    def note(self, form: Form, evidence: Evidence, reason: str = "") -> None:
        """Record the outcome for an item; one that shows nothing is not tried in other forms of its group.

        Args:
            form: the form of the request.
            evidence: evidence of the outcome.
            reason: reason of a refusal.
        """
        self._evidence[form][evidence] += 1
        self._n_tried[form] += 1
        if evidence in AGAINST:
            self._refusals[form, reason] += 1
        if evidence is Evidence.NOTHING:
            for other in next(group for group in self._groups if form in group):
                self._n_tried[other] = max(self._n_tried[other], self._n_tried[form])

    def exclude(self, form: Form) -> None:
        """Do not try a form, as the refusal of another one includes it."""
        self._evidence[form][Evidence.FORM] += 1

    def _has_items(self, form: Form) -> bool:
        return self._n_items is None or self._n_tried[form] < self._n_items
