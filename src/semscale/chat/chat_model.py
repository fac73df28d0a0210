"""The protocol of a chat model, the lifetime of its connections, and the parameters that it refuses."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from semscale.chat.messages import Parameters, Request
from semscale.chat.replies import Reply
from semscale.errors import InputError
from semscale.signature import Signature


@runtime_checkable
class ChatModel(Protocol):
    """A chat model that answers requests; an extension point (entry-point group ``semscale``).

    A model that holds connections may have a coroutine ``aclose()``, which is awaited at the end of a run.
    """

    @property
    def name(self) -> str:
        """The model's name in price tables and messages."""
        ...

    @property
    def signature(self) -> Signature:
        """Model, engine and endpoint, without secrets: what decides a reply besides the request."""
        ...

    async def complete(self, request: Request) -> Reply:
        """Send one request once; the :class:`~semscale.chat.runner.Runner` waits and repeats.

        Raises:
            CallError: there is no reply; ``kind`` says why.
        """
        ...


def checked_chat_model(model: ChatModel) -> ChatModel:
    """Return the model if ledgers and reports can name it.

    Raises:
        InputError: something is missing, its name is no text, or its signature is no ``Signature``.
    """
    kind = type(model).__name__
    if not isinstance(model, ChatModel):
        raise InputError(f"a chat model must have name, signature and complete, got {kind}")
    if not isinstance(model.name, str) or not model.name:
        raise InputError(f"the name of a chat model must be a text, got {model.name!r:.60} from {kind}")
    if not isinstance(model.signature, Signature):
        raise InputError(
            "the signature of a chat model must be a semscale.signature.Signature, such as "
            f'Signature.of("chat", model="{kind.lower()}"), got {model.signature!r:.60} from {kind}'
        )
    return model


_runs: Counter[tuple[int, int]] = Counter()


@asynccontextmanager
async def held_open(model: ChatModel) -> AsyncIterator[None]:
    """Close the model at the end of the block, unless another block in this event loop still uses it."""
    place = (id(model), id(asyncio.get_running_loop()))
    _runs[place] += 1
    try:
        yield
    finally:
        _runs[place] -= 1
        close = getattr(model, "aclose", None)
        if not _runs[place]:
            del _runs[place]
            if close is not None:
                await close()


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
