"""Jinja2 templates -> one self-contained HTML document."""

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from semscale.report import wording

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **content: object) -> str:
    """Fill a template; every value is escaped unless it is markup that this package has drawn itself.

    Args:
        template: name of a file in ``templates``, such as ``"rating.html.j2"``.
        content: what the template shows.
    """
    return _environment().get_template(template).render(**content)


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["printable"] = wording.printable
    environment.filters["one_line"] = wording.one_line
    return environment


def _source(name: str) -> str | None:
    file = resources.files("semscale.report").joinpath("templates", name)
    return file.read_text(encoding="utf-8") if file.is_file() else None
