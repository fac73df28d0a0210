"""``/docs``: all routes on one page, without a script and without anything from another host."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse

from semscale.report.document import Block, DataTable, Document, Paragraph, Quoted, Section, Words
from semscale.report.html import page


def docs_page(app: FastAPI) -> Callable[[Request], Awaitable[HTMLResponse]]:
    """Make the route of a page about all routes of an application."""

    async def docs(_: Request) -> HTMLResponse:
        return HTMLResponse(page(routes_document(app.openapi())))

    return docs


def routes_document(described: Mapping[str, Any]) -> Document:
    """Lay out what a service answers.

    Args:
        described: the service as OpenAPI has it.
    """
    return Document(
        kind="service",
        name="Service",
        title="What the service answers",
        source=(f"Semscale {described['info']['version']}", "for programs: /openapi.json"),
        signature=None,
        sections=tuple(
            Section(_handle(verb, path), Quoted(f"{verb.upper()} {path}"), tuple(_blocks(about)))
            for path, verbs in described["paths"].items()
            for verb, about in verbs.items()
        ),
    )


def _handle(verb: str, path: str) -> str:
    return "-".join([verb, *path.replace("{", "").replace("}", "").strip("/").lower().split("/")])


def _blocks(about: Mapping[str, Any]) -> Iterator[Block]:
    """Say what a route does, and list the fields of its body and the parameters of its address."""
    yield Paragraph(str(about.get("description", "")).partition("\n")[0])
    body = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    fields = [(name, field, name in body.get("required", [])) for name, field in _properties(body)]
    fields += [(each["name"], each["schema"], each["required"]) for each in about.get("parameters", [])]
    rows = [
        (
            Quoted(name),
            Words(_type(field)),
            Words("needed" if needed else _default(field)),
            Words(field.get("description", "")),
        )
        for name, field, needed in sorted(fields, key=lambda each: not each[2])
    ]
    if rows:
        yield DataTable(("field", "type", "default", "what it says"), tuple(rows))


def _properties(schema: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return list(schema.get("properties", {}).items())


def _type(field: Mapping[str, Any]) -> str:
    kinds = [field, *field.get("anyOf", [])]
    options = [str(option) for each in kinds for option in each.get("enum", [])]
    options += [str(each["const"]) for each in kinds if "const" in each]
    types = [str(each["type"]) for each in kinds if "type" in each and not {"enum", "const"} & each.keys()]
    return " or ".join(dict.fromkeys([*options, *types])) or "any"


def _default(field: Mapping[str, Any]) -> str:
    default = field.get("default")
    return "" if default is None else str(default)
