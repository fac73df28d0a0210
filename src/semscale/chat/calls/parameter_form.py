"""Requests without the parameters that a model refuses, and what is known of that for each model."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from semscale.chat.chat_model import ChatModel
from semscale.chat.messages import Parameters, Request

LEFT_OUT = "default"
"""What a signature says of a parameter that the model refused, so that its own default applies."""

_LIMIT_NAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_FIELDS = {"logprobs": "top_logprobs"} | dict.fromkeys(_LIMIT_NAMES, "max_tokens")
_CAN_BE_LEFT_OUT = ("temperature", "max_tokens", "top_p", "seed", "stop", "top_logprobs")


@dataclass(frozen=True)
class ParameterForm:
    """A form of requests: which parameters are left out, and what the limit on tokens is called.

    Attributes:
        left_out: names of attributes of ``Parameters`` that are not sent.
        limit_name: the name under which ``max_tokens`` is sent; ``None`` for the endpoint's usual one.
    """

    left_out: frozenset[str] = frozenset()
    limit_name: str | None = None

    def of(self, request: Request) -> Request:
        """Return the request in this form.

        Example:
            >>> form = ParameterForm(frozenset({"temperature"}), "max_completion_tokens")
            >>> sent = form.of(Request.of("a", temperature=0.0, max_tokens=5)).parameters
            >>> sent.temperature, sent.max_tokens, sent.extra
            (None, None, {'max_completion_tokens': 5})
        """
        asked = request.parameters
        changes: dict[str, object] = {
            name: () if name == "stop" else None for name in self.left_out_of(request)
        }
        if self.limit_name is not None and asked.max_tokens is not None and "max_tokens" not in changes:
            changes |= {"max_tokens": None, "extra": {**asked.extra, self.limit_name: asked.max_tokens}}
        if not changes:
            return request
        return replace(request, parameters=replace(asked, **changes))  # type: ignore[arg-type]  # by names

    def left_out_of(self, request: Request) -> tuple[str, ...]:
        """Name the parameters of a request that this form leaves out."""
        return tuple(name for name in set_parameters(request.parameters) if name in self.left_out)

    def after_refusal(self, refused: Iterable[str], request: Request) -> "ParameterForm | None":
        """Return the form to try next; ``None`` if what was refused is not in the request.

        The limit on tokens goes by its other name before it is left out.

        Args:
            refused: names in an endpoint's answer, such as ``max_completion_tokens``.
            request: what was sent in this form.
        """
        form, sent = self, set(set_parameters(request.parameters)) - self.left_out
        for name in refused:
            field_name = _FIELDS.get(name, name)
            if field_name not in sent:
                continue
            if name in _LIMIT_NAMES and form.limit_name is None:
                form = replace(form, limit_name=_LIMIT_NAMES[name])
            else:
                form = replace(form, left_out=form.left_out | {field_name})
        return None if form == self else form

    def merged(self, other: "ParameterForm") -> "ParameterForm":
        """Return a form that leaves out what either of two leaves out."""
        return ParameterForm(self.left_out | other.left_out, self.limit_name or other.limit_name)


@dataclass(eq=False)
class TakenParameters:
    """What is known of the parameters that a model takes.

    Attributes:
        form: in which requests are sent.
        known: parameters that a reply has come to, or that were refused.
        has_answered: whether a reply of the model ever came.
    """

    form: ParameterForm = ParameterForm()
    known: set[str] = field(default_factory=set)
    has_answered: bool = False

    def learn(self, form: ParameterForm, request: Request) -> None:
        """Note that the model took a request in a form."""
        self.form = self.form.merged(form)
        self.known.update(set_parameters(request.parameters))

    def unknown_in(self, request: Request) -> bool:
        """Tell whether a request has parameters of which nothing is known."""
        return not self.known.issuperset(set_parameters(request.parameters))


_BY_MODEL: WeakKeyDictionary[ChatModel, TakenParameters] = WeakKeyDictionary()


def taken_parameters(model: ChatModel) -> TakenParameters:
    """Return what is known of a model since the process began; it is shared by all runs."""
    try:
        return _BY_MODEL.setdefault(model, TakenParameters())
    except TypeError:  # a class without a hash or weak references: each run finds out for itself
        return TakenParameters()


def set_parameters(parameters: Parameters) -> tuple[str, ...]:
    """Name the parameters that are set and that a model may refuse."""
    return tuple(name for name in _CAN_BE_LEFT_OUT if getattr(parameters, name) not in {None, ()})
