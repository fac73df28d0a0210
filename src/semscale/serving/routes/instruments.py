"""``/rate``, ``/match`` and ``/consistency``: rows as one JSON object, or a line each."""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from semscale.messages import shortened
from semscale.serving.errands import heeding
from semscale.serving.error_answers import refusal_of
from semscale.serving.instruments.measuring import Instrument, Measured
from semscale.serving.json_answers import JSON, LINES, to_json
from semscale.serving.refusals import BAD_JSON, RefusedRequestError, invalid
from semscale.serving.requests.fields import (
    RequestFields,
    check_settings,
    check_texts,
    checked,
    json_in,
    parsed,
)
from semscale.serving.requests.query import settings_of
from semscale.serving.requests.reading import read_body, while_connected
from semscale.serving.service import Service

_LINES_AT_ONCE = 512


class InstrumentRoute:
    """Measures the rows of requests with one instrument.

    Args:
        service: its limits and threads.
        instrument: measures.
    """

    def __init__(self, service: Service, instrument: Instrument) -> None:
        self._service = service
        self._instrument = instrument

    async def measure(self, request: Request) -> Response:
        """Measure the rows of a request, which its type of content tells how to read.

        Raises:
            RefusedRequestError: a wrong field, or a limit that is exceeded.
        """
        body = await read_body(request, self._service.limits.body_bytes)
        if request.headers.get("content-type", JSON).partition(";")[0].strip().lower() == LINES:
            return await self._lines(request, body)
        fields = parsed(self._instrument.fields, body)
        columns = {name: getattr(fields, name) for name in self._instrument.columns}
        check_settings(fields, self._service.limits, columns)
        self._check(columns)
        found = await while_connected(request, self._measured(fields, columns))
        return Response(_object(found), media_type=JSON)

    async def _measured(self, settings: RequestFields, columns: Mapping[str, Sequence[Any]]) -> Measured:
        return await self._service.errands.run(partial(self._instrument.measure, settings, columns))

    async def _lines(self, request: Request, body: bytes) -> Response:
        """Answer with a line for each line; the first part is measured before the answer begins."""
        settings = checked(
            self._instrument.settings, settings_of(request.query_params, self._instrument.settings)
        )
        check_settings(settings, self._service.limits)
        columns = await self._service.errands.run(partial(self._columns_of, body))
        first, *_ = columns.values()
        size = len(first) if self._instrument.depends_on_all else _LINES_AT_ONCE
        starts = range(0, len(first), max(size, 1))
        parts = [{name: cells[start : start + size] for name, cells in columns.items()} for start in starts]
        if not parts:
            raise RefusedRequestError(BAD_JSON, "the body has no lines: send a JSON object on each")
        begun = await while_connected(request, self._measured(settings, parts[0]))
        return StreamingResponse(
            self._written(begun, settings, parts[1:]),
            media_type=LINES,
            headers={"X-Semscale-Signature": begun.signature},
        )

    async def _written(
        self,
        begun: Measured,
        settings: RequestFields,
        parts: Sequence[Mapping[str, Sequence[Any]]],
    ) -> AsyncIterator[bytes]:
        """Write the lines of all parts; an error after the first one is the last line."""
        row = 1
        yield _written_lines(begun.frame, row)
        for part in parts:
            row += begun.frame.height
            try:
                begun = await self._measured(settings, part)
            except Exception as error:  # noqa: BLE001 - the status has been sent
                yield to_json({"row": row, **refusal_of(error).record()}) + b"\n"
                return
            yield _written_lines(begun.frame, row)

    def _columns_of(self, body: bytes) -> dict[str, list[Any]]:
        """Read the columns from lines.

        Raises:
            RefusedRequestError: a line that is no JSON object with these keys and no other.
        """
        keys = self._instrument.columns
        columns: dict[str, list[Any]] = {name: [] for name in keys}
        lines = body.splitlines()
        for number, line in enumerate(lines, start=1):
            heeding("reading lines", number, len(lines))
            cells = _object_in(line, number, set(keys.values()))
            for name, key in keys.items():
                columns[name].append(cells[key])
        self._check(columns, is_stream=True)
        return columns

    def _check(self, columns: Mapping[str, Sequence[Any]], *, is_stream: bool = False) -> None:
        """Refuse what exceeds the limits; a stream has any number of lines that its body can hold."""
        limits = self._service.limits
        for name, cells in columns.items():
            inner = [cell for each in cells for cell in (each if isinstance(each, list) else [each])]
            if is_stream:
                for start in range(0, len(inner), limits.texts):
                    check_texts(inner[start : start + limits.texts], name, limits)
            else:
                check_texts(inner, name, limits)


def _object_in(line: bytes, number: int, keys: set[str]) -> dict[str, Any]:
    place = f"line {number}"
    found = json_in(line, place)
    if not isinstance(found, dict) or found.keys() != keys:
        wanted = ", ".join(sorted(keys))
        raise invalid(f"{place} must be an object with {wanted}, got {shortened(found)}", place)
    return found


def _object(found: Measured) -> bytes:
    rows = found.frame.write_json().encode()
    counts, signature = to_json(found.counts), to_json(found.signature)
    return b'{"results":%b,"counts":%b,"signature":%b}' % (rows, counts, signature)


def _written_lines(frame: pl.DataFrame, first_row: int) -> bytes:
    numbered = frame.with_row_index("row", first_row)
    return numbered.write_ndjson().encode()
