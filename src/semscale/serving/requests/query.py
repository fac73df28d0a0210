"""Settings in the address of a request, as ``?scale=quality&missing=NA&missing=-99``."""

import json
from typing import Any, get_args

from starlette.datastructures import QueryParams

from semscale.serving.refusals import invalid
from semscale.serving.requests.fields import RequestFields


def settings_of(parameters: QueryParams, kind: type[RequestFields]) -> dict[str, Any]:
    """Read settings from an address; a field that is a list takes its parameter several times.

    Args:
        parameters: of the address.
        kind: whose fields they are; an object is written as JSON, and ``none`` is no value.

    Raises:
        RefusedRequestError: JSON that cannot be read.

    Example:
        >>> from semscale.serving.requests.fields import RatingSettingFields
        >>> settings_of(QueryParams("scale=quality&missing=NA&missing=-99"), RatingSettingFields)
        {'scale': 'quality', 'missing': ['NA', '-99']}
    """
    found: dict[str, Any] = {}
    for name in parameters:
        values = parameters.getlist(name)
        field = kind.model_fields.get(name)
        is_list = field is not None and "list" in str(field.annotation)
        found[name] = values if is_list else _value(name, values[-1], field)
    return found


def _value(name: str, value: str, field: Any) -> Any:  # noqa: ANN401 - as JSON has it
    if value == "none" and field is not None and type(None) in get_args(field.annotation):
        return None
    if not value.startswith("{"):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise invalid(f"{name} must be JSON: {error}", name) from None
