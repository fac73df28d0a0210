"""Settings in the address of a request, as ``?scale=quality&missing=NA&missing=-99``."""

import re
from typing import Any, get_args

from starlette.datastructures import QueryParams

from semscale.messages import shortened
from semscale.serving.refusals import RefusedRequestError, invalid
from semscale.serving.requests.fields import RequestFields, json_in


def settings_of(parameters: QueryParams, kind: type[RequestFields]) -> dict[str, Any]:
    """Read settings from an address; a field that is a list takes its parameter several times.

    Args:
        parameters: of the address.
        kind: whose fields they are; an object is written as JSON, and ``none`` is no value.

    Raises:
        RefusedRequestError: JSON that cannot be read, or a field that is no list and comes twice.

    Example:
        >>> from semscale.serving.requests.fields import RatingSettingFields
        >>> settings_of(QueryParams("scale=quality&missing=NA&missing=-99"), RatingSettingFields)
        {'scale': 'quality', 'missing': ['NA', '-99']}
    """
    found: dict[str, Any] = {}
    for name in parameters:
        values = parameters.getlist(name)
        field = kind.model_fields.get(name)
        is_list = field is not None and re.search(r"\b(list|tuple)\b", str(field.annotation)) is not None
        if len(values) > 1 and not is_list:
            raise invalid(
                f"{shortened(name)} must be named once in the address, got {len(values)} times", name
            )
        found[name] = values if is_list else _value(name, values[-1], field)
    return found


def _value(name: str, value: str, field: Any) -> Any:  # noqa: ANN401 - as JSON has it
    if value == "none" and field is not None and type(None) in get_args(field.annotation):
        return None
    if not value.startswith("{"):
        return value
    try:
        return json_in(value, name)
    except RefusedRequestError as error:
        raise invalid(str(error), name) from None
