"""``/docs``: all routes on one page, without a script and without anything from another host."""

from collections.abc import Awaitable, Callable, Mapping
from html import escape
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Semscale: the service</title>
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}}
code{{background:#8882;padding:.1em .3em}}td,th{{text-align:left;vertical-align:top;padding:.2em 1em .2em 0}}
</style></head><body><h1>Semscale {version}</h1>
<p>What the service answers. For programs: <a href="openapi.json">openapi.json</a>.</p>
{routes}</body></html>"""


def docs_page(app: FastAPI) -> Callable[[Request], Awaitable[HTMLResponse]]:
    """Make the route of a page about all routes of an application."""

    async def page(_: Request) -> HTMLResponse:
        described = app.openapi()
        routes = "".join(
            _route(path, verb, about)
            for path, verbs in described["paths"].items()
            for verb, about in verbs.items()
        )
        return HTMLResponse(_PAGE.format(version=escape(described["info"]["version"]), routes=routes))

    return page


def _route(path: str, verb: str, about: Mapping[str, Any]) -> str:
    """Write one route: its path, its sentence, and the fields of its body."""
    body = about.get("requestBody", {}).get("content", {}).get("application/json", {})
    fields = body.get("schema", {}).get("properties", {})
    needed = body.get("schema", {}).get("required", [])
    rows = "".join(_field(name, field, is_needed=name in needed) for name, field in fields.items())
    table = f"<table><tr><th>field<th>type<th>default{rows}</table>" if rows else ""
    said = escape(str(about.get("description", "")).partition("\n")[0])
    return f"<h2><code>{verb.upper()} {escape(path)}</code></h2><p>{said}</p>{table}"


def _field(name: str, field: Mapping[str, Any], *, is_needed: bool) -> str:
    kinds = [field, *field.get("anyOf", [])]
    kind = " or ".join(dict.fromkeys(str(each["type"]) for each in kinds if "type" in each))
    options = [str(option) for each in kinds for option in each.get("enum", [])]
    default = "needed" if is_needed else str(field.get("default"))
    shown = ", ".join(options) or kind or "any"
    return f"<tr><td><code>{escape(name)}</code><td>{escape(shown)}<td>{escape(default)}"
