"""Errors in the words of endpoints: the reason that an answer states, and the kind of failure that it means.

Vendors differ in shape (an object, a list, a text, an error within an error), in names of fields, in codes,
and in the status of the same failure: a wrong key is 401 at most, and 400 at some.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from semscale.chat.messages import FailureKind
from semscale.json_reading import parse_json

_REASONS = (
    "message", "msg", "error_message", "error_msg", "errmsg", "status_msg", "detail", "error_description",
    "faultstring", "description", "title", "error", "errors", "reason",
)  # fmt: skip
"""Names of fields with a reason in words, the most telling first."""

_CODES = frozenset(
    {
        "code", "type", "status", "reason", "error", "error_code", "err_code", "errcode", "error_type",
        "status_code", "blockreason", "block_reason", "finish_reason", "stopreason", "stop_reason",
    }
)  # fmt: skip
"""Names of fields with a code."""

_KINDS_OF_CODES = {
    FailureKind.NO_QUOTA: (
        "insufficient_quota", "billing_hard_limit_reached", "insufficient_balance", "insufficient_user_quota",
        "exceeded_current_quota_error", "insufficient_credits", "arrearage", "billing_not_active", "1113",
        "billing_error",
    ),
    FailureKind.DENIED: (
        "invalid_api_key", "api_key_invalid", "invalidapikey", "authentication_error", "unauthenticated",
        "invalid_authentication", "invalid_authentication_error", "invalid_token", "access_token_expired",
        "api_key_expired", "unrecognizedclientexception", "expiredtokenexception", "1004",
        "permission_denied", "permission_error", "accessdeniedexception", "accessdenied", "access_denied",
        "service_disabled", "unsupported_country_region_territory", "invalidsignatureexception",
    ),
    FailureKind.REFUSED: (
        "content_filter", "responsibleaipolicyviolation", "content_policy_violation", "moderation_blocked",
        "data_inspection_failed", "datainspectionfailed", "censorship_blocked", "content_moderation",
        "invalid_prompt", "prohibited_content", "blocklist", "safety", "guardrail_intervened",
        "content_filtered", "sensitive_words_detected", "1301", "1026", "1027",
    ),
    FailureKind.UNKNOWN_MODEL: (
        "model_not_found", "invalid_model", "model_not_exist", "deploymentnotfound", "modelnotfound", "1211",
        "model_decommissioned", "model_not_supported", "unknown_model",
    ),
}  # fmt: skip
_BY_CODE = {code: kind for kind, codes in _KINDS_OF_CODES.items() for code in codes}
"""Kinds by codes of OpenAI, Azure, Google, AWS, Anthropic, Alibaba, MiniMax, Moonshot, Zhipu and gateways."""

_KEY = r"(?: api[ _-]?key | x-api-key | (?:access|bearer|authentication)[ ]token )s?"
_WORDINGS = {
    FailureKind.NO_QUOTA: r"""
        balance[ ](?:is[ ])?(?:too[ ]low|insufficient|not[ ]enough) | 余额不足 | 欠费
        | insufficient[ ](?:\w+[ ])?(?:balance|credits?|funds)
        | budget[ ](?:limit[ ])?has[ ]been[ ]exceeded
        | (?:spend(?:ing)?|credit)[ ]limit[ ](?:exceeded|reached)
        | key[ ]limit[ ]exceeded[ ]\( (?:total|daily|weekly|monthly)""",
    FailureKind.DENIED: rf"""
        (?:invalid|incorrect|wrong|expired|missing|malformed|unknown|no|revoked|disabled) [ ] (?:\w+[ ])?
            {_KEY}\b
        | \b{_KEY}\b [^.;]{{0,40}} \b (?: not[ ](?:valid|found|provided|set) | invalid | incorrect | expired
            | missing | required | revoked | disabled | wrong )
        | authentication[ ]fail | (?:bad|invalid|missing)[ ]credentials
        | security[ ]token [^.;]{{0,40}} \b (?:invalid|expired)
        | missing\b [^.;]{{0,30}} \b authorization
        | location[ ](?:is[ ])?not[ ]supported
        | (?:don't|do[ ]not|does[ ]not)[ ]have[ ](?:\w+[ ])?access""",
    FailureKind.REFUSED: r"""
        content[ ](?:\w+[ ])?polic | usage[ ](?:polic|guideline) | content[ _-]?filter | guardrail
        | content[ ]exists[ ]risk | considered[ ]high[ ]risk | (?:inappropriate|sensitive)[ ]content
        | (?:prompt|input|content|message)s?\b [^.;]{0,40} \b (?:flagged|moderat)
        | blocked[ ](?:by|due[ ]to|because[ ]of)\b [^.;]{0,40} (?:safety|polic|filter|moderation)
        | safety[ ](?:system|filter|check|setting|polic) | 敏感内容 | 不安全""",
    FailureKind.UNKNOWN_MODEL: r"""
        model[ ](?:not[ ](?:exist|found)|does[ ]not[ ]exist) | 模型不存在
        | not[ ]a[ ]valid[ ]model | model\b [^.;]{0,60} \b (?:decommissioned|been[ ]retired)
        | (?:unknown|invalid|no[ ]such)[ ]model (?:[ ](?:name|id))? (?:\s* [:'"`=] | [ ]passed[ ]in)""",
}
_BY_WORDING = {kind: re.compile(wording, re.IGNORECASE | re.VERBOSE) for kind, wording in _WORDINGS.items()}
_OF_ACCOUNT = re.compile(r"\b(account|organi[sz]ation|access|region|country|territory)\b", re.IGNORECASE)
"""Words of an error about who asks, and not about what is asked."""

_LONGEST_REASON = 600  # characters; longer ones may repeat the request
_DELAY = re.compile(r"(\d+(?:\.\d+)?)s")

_FILTERED = re.compile(
    r"content_?filter|safety|image_safety|prohibited_content|blocklist|spii|recitation|refusal"
    r"|guardrail_intervened|sensitive|moderation|censored"
)


@dataclass(frozen=True)
class StatedError:
    """The error that an answer states.

    Attributes:
        reason: the reason in words; empty if there is none.
        kind: the kind of failure that codes and words show; ``None`` if they show none.
        retry_after: seconds that the answer asks to wait; ``None`` if it states none.
    """

    reason: str = ""
    kind: FailureKind | None = None
    retry_after: float | None = None


def read_error(body: object) -> StatedError:
    """Read the error in the body of an answer.

    Args:
        body: the body, as text or parsed.

    Examples:
        >>> read_error('[{"error": {"code": 400, "message": "API key not valid."}}]')
        StatedError(reason='API key not valid.', kind=<FailureKind.DENIED: 'denied'>, retry_after=None)
        >>> read_error('{"detail": [{"loc": ["body", "n"], "msg": "Extra inputs are not permitted"}]}').reason
        'body.n: Extra inputs are not permitted'
        >>> read_error("<html>Bad gateway</html>")
        StatedError(reason='', kind=None, retry_after=None)
    """
    if isinstance(body, str):
        try:
            body = parse_json(body)
        except ValueError:
            return StatedError()
    objects = list(_objects(body))
    reason = next(filter(None, map(_reason_in, objects)), body if isinstance(body, str) else "")
    return StatedError(reason, _kind_of(objects, reason), _delay_in(objects))


def is_filtered(finish_reason: str) -> bool:
    """Return whether a reply ended because a filter stopped it.

    Examples:
        >>> [is_filtered(reason) for reason in ("content_filter", "SAFETY", "stop", "length")]
        [True, True, False, False]
    """
    return _FILTERED.match(_normal(finish_reason)) is not None


def _objects(content: object) -> Iterator[dict[str, object]]:
    """Yield the objects in a body, the outer ones first; a text that is JSON is read as well."""
    level = [content]
    while level:
        inner: list[object] = []
        for value in level:
            if isinstance(value, dict):
                yield {str(name).lower(): part for name, part in value.items()}
                inner += value.values()
            elif isinstance(value, list):
                inner += value
            elif isinstance(value, str) and value.lstrip()[:2] in {'{"', "[{"}:
                try:
                    inner.append(parse_json(value))
                except ValueError:
                    continue
        level = inner


def _reason_in(fields: dict[str, object]) -> str:
    """Return the reason in an object; empty if it has none of its own."""
    named = (fields.get(name) for name in _REASONS)
    text = next((text for value in named if (text := _text_of(value))), "")
    location = fields.get("loc")
    if text and isinstance(location, list) and location:
        text = f"{'.'.join(map(str, location))}: {text}"
    raw = fields.get("metadata")
    if (
        text and isinstance(raw, dict) and isinstance(raw.get("raw"), str)
    ):  # a gateway repeats a vendor's answer
        text = f"{text}: {read_error(raw['raw']).reason or raw['raw']}"
    return text


def _text_of(value: object) -> str:
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return "; ".join(value)
    return value if isinstance(value, str) and not value.lstrip().startswith(('{"', "[{")) else ""


def _kind_of(objects: list[dict[str, object]], reason: str) -> FailureKind | None:
    codes = {
        _normal(str(value))
        for fields in objects
        for name, value in fields.items()
        if name in _CODES and isinstance(value, str | int) and not isinstance(value, bool)
    }
    for code, kind in _BY_CODE.items():
        if code in codes:
            return kind
    if any(fields.get("filtered") is True or fields.get("blockreason") for fields in objects):
        return FailureKind.REFUSED
    shown = reason[:_LONGEST_REASON]
    worded = next((kind for kind, wording in _BY_WORDING.items() if wording.search(shown)), None)
    return None if worded is FailureKind.REFUSED and _OF_ACCOUNT.search(shown) else worded


def _delay_in(objects: list[dict[str, object]]) -> float | None:
    """Return the seconds of Google's ``RetryInfo``."""
    stated = (str(fields.get("retrydelay", "")) for fields in objects)
    return next((float(delay[1]) for text in stated if (delay := _DELAY.fullmatch(text))), None)


def _normal(code: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", code.lower()).strip("_")
