"""Parameters that a model refuses: recognised in its answer, and left out of later requests."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from semscale.chat.messages import Call, CallError, Parameters, Reply, Request
from semscale.json_reading import parse_json

RESPONSE_FORMAT = "response_format"
"""The parameter that asks for a reply by a schema; a request cannot do without it, as its prompt names it."""

PARAMETERS = (
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "top_p",
    "seed",
    "stop",
    "logprobs",
    "top_logprobs",
)
_OF_SCHEMA = re.compile(
    r"response[ _]?(json[_ ]?)?(format|schema)|(json|guided)[_ ](schema|json|object|mode)"
    r"|structured[_ ]outputs?|guided[_ ]decoding|additionalProperties",
    re.IGNORECASE,
)
"""Other names of a reply by a schema."""

_NAME = re.compile(rf"(?<![A-Za-z_])({'|'.join(PARAMETERS)})(?![A-Za-z_])")
_REFUSAL = re.compile(
    r"""(not|n't|never|no\ longer) \s+ ((be|yet|currently|a) \s+)?
        (support|permit|allow|accept|recogni[sz]|known|available|enabled|implemented|compatible
        |valid \s+ (field|param))
    | (unsupported|unknown|unrecogni[sz]ed|unexpected|forbidden|deprecated|unavailable) (?![A-Za-z])
    | cannot \s+ (both \s+)? be \s+ (used|set|specified|combined|changed)
    | (extra|additional) \s+ (inputs|fields|propert|parameters)
    | (extra_forbidden|unsupported_(value|parameter)|unknown_parameter|cannot \s+ find \s+ field)
    | only \s+ (be \s+ set|[^.]{0,40} \s+ (is|are) \s+ (supported|allowed|permitted))
    | strictly \s+ positive | (greater|larger) \s+ than \s+ 0 (?![.\d]) | 不支持""",
    re.IGNORECASE | re.VERBOSE,
)
_MISFIT = re.compile(r"invalid|must|should|expected|unknown|only|fail", re.IGNORECASE)
"""Further words of a refusal of a schema: an endpoint may lack only this kind of format or of schema."""

_EXCLUSIVE = re.compile(r"\b(both|together|at the same time|simultaneously)\b", re.IGNORECASE)
_ADVICE = re.compile(r"\b(use|try|expected|did you mean|instead|consider)\b|'input':", re.IGNORECASE)
_CLAUSE = re.compile(r"[.;]\s+|[\n}]")


def parse_refused_parameters(body: str) -> tuple[str, ...]:
    """Return the parameters that an answer reports as not supported, in the order of the answer.

    A value out of range, such as a limit on tokens that is too high, does not count.

    Args:
        body: body of an answer with a status such as 400 or 422, JSON or plain text.

    Returns:
        Names from ``PARAMETERS``, and ``RESPONSE_FORMAT`` for a schema; empty if the refusal has another
        reason.

    Examples:
        >>> parse_refused_parameters('[{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]')
        ('seed',)
        >>> parse_refused_parameters("max_tokens is not supported. Use max_completion_tokens instead.")
        ('max_tokens',)
        >>> parse_refused_parameters("max_tokens must be at most 4096")
        ()
    """
    try:
        statements = list(_statements(parse_json(body)))
    except ValueError:
        statements = [("", body)]
    mentioned = [name for subject, statement in statements for name in _parameter_names(subject, statement)]
    return tuple(dict.fromkeys(mentioned))


def _statements(content: object) -> Iterator[tuple[str, str]]:
    """Yield the statements of an answer, each with the parameter that the answer assigns to it."""
    if isinstance(content, str):
        yield "", content
    elif isinstance(content, list):
        for part in content:
            yield from _statements(part)
    elif isinstance(content, dict):
        message = content.get("msg") or content.get("message")
        if isinstance(message, str):
            subject = content.get("param") or content.get("loc") or ""
            kind = content.get("code") or content.get("type") or ""
            yield str(subject), f"{message} {kind}"
        else:
            for part in content.values():
                yield from _statements(part)


def _parameter_names(subject: str, statement: str) -> list[str]:
    if _OF_SCHEMA.search(subject) or (not subject and _OF_SCHEMA.search(statement)):
        refuses = _REFUSAL.search(statement) or _MISFIT.search(statement)
        return [RESPONSE_FORMAT] if refuses else []
    beside = _NAME.findall(subject)
    if beside:
        return beside if _REFUSAL.search(statement) else []
    clauses = (_ADVICE.split(clause, maxsplit=1)[0] for clause in _CLAUSE.split(statement))
    names = [name for clause in clauses if _REFUSAL.search(clause) for name in _NAME.findall(clause)]
    return names[-1:] if _EXCLUSIVE.search(statement) else names


LEFT_OUT = "default"
"""Value in a signature for a parameter that the model refused, so that its default applies."""

_LIMIT_NAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_FIELDS = {"logprobs": "top_logprobs"} | dict.fromkeys(_LIMIT_NAMES, "max_tokens")
_CAN_BE_LEFT_OUT = ("temperature", "max_tokens", "top_p", "seed", "stop", "top_logprobs")


@dataclass(frozen=True)
class ParameterForm:
    """A form of requests: the parameters that are left out, and the name of the limit on tokens.

    Attributes:
        left_out: names of attributes of ``Parameters`` that are not sent.
        limit_name: the name under which ``max_tokens`` is sent; ``None`` for the endpoint's usual one.
    """

    left_out: frozenset[str] = frozenset()
    limit_name: str | None = None

    def apply(self, call: Call) -> Call:
        """Return the call in this form; only a chat request has parameters.

        Examples:
            >>> form = ParameterForm(frozenset({"temperature"}), "max_completion_tokens")
            >>> sent = form.apply(Request.of("a", temperature=0.0, max_tokens=5)).parameters
            >>> sent.temperature, sent.max_tokens, sent.extra
            (None, None, {'max_completion_tokens': 5})
        """
        asked = call.parameters
        changes: dict[str, object] = {name: () if name == "stop" else None for name in self.left_out_of(call)}
        if self.limit_name is not None and asked.max_tokens is not None and "max_tokens" not in changes:
            changes |= {"max_tokens": None, "extra": {**asked.extra, self.limit_name: asked.max_tokens}}
        if not changes or not isinstance(call, Request):
            return call
        return replace(call, parameters=replace(asked, **changes))  # type: ignore[arg-type]  # by names

    def left_out_of(self, call: Call) -> tuple[str, ...]:
        """Return the parameters of a call that this form leaves out."""
        return tuple(name for name in set_parameters(call.parameters) if name in self.left_out)

    def after_refusal(self, answer: Reply | CallError, call: Call) -> "ParameterForm | None":
        """Return the form to try next; ``None`` if the answer refuses no parameter of the call.

        The limit on tokens is sent by its other name before it is left out.

        Args:
            answer: the model's answer; a failure may name refused parameters.
            call: the call that was sent in this form.
        """
        if isinstance(answer, Reply):
            return None
        form, sent = self, set(set_parameters(call.parameters)) - self.left_out
        for name in answer.refused:
            field_name = _FIELDS.get(name, name)
            if field_name not in sent:
                continue
            if name in _LIMIT_NAMES and form.limit_name is None:
                form = replace(form, limit_name=_LIMIT_NAMES[name])
            else:
                form = replace(form, left_out=form.left_out | {field_name})
        return None if form == self else form

    def merge(self, other: "ParameterForm") -> "ParameterForm":
        """Return a form that leaves out the parameters that either form leaves out."""
        return ParameterForm(self.left_out | other.left_out, self.limit_name or other.limit_name)


@dataclass(eq=False)
class AcceptedParameters:
    """Parameters that a model is known to accept or to refuse.

    Attributes:
        form: current form of requests.
        known: parameters that the model has accepted or refused.
        has_answered: whether the model has ever replied.
    """

    form: ParameterForm = ParameterForm()
    known: set[str] = field(default_factory=set)
    has_answered: bool = False

    def learn(self, form: ParameterForm, call: Call) -> None:
        """Note that the model accepted a call in a form."""
        self.form = self.form.merge(form)
        self.known.update(set_parameters(call.parameters))

    def unknown_in(self, call: Call) -> bool:
        """Return whether a call has parameters that the model has neither accepted nor refused."""
        return not self.known.issuperset(set_parameters(call.parameters))


_BY_MODEL: WeakKeyDictionary[object, AcceptedParameters] = WeakKeyDictionary()


def model_parameters(model: object) -> AcceptedParameters:
    """Return the known parameters of a model, which all runs of the process share."""
    try:
        return _BY_MODEL.setdefault(model, AcceptedParameters())
    except TypeError:  # a class without a hash or weak references: each run finds out for itself
        return AcceptedParameters()


def set_parameters(parameters: Parameters) -> tuple[str, ...]:
    """Return the names of set parameters that a model may refuse."""
    return tuple(name for name in _CAN_BE_LEFT_OUT if getattr(parameters, name) not in {None, ()})
