"""Jinja2 templates -> one self-contained HTML document."""

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from markupsafe import Markup

from semscale.report.wording import one_line, printable

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **content: object) -> str:
    """Fill a template; every value is escaped unless it is markup that this package has drawn itself.

    Args:
        template: name of a file in ``templates``, such as ``"match.html.j2"``.
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
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["one_line"] = one_line
    return environment


def _shown(value: object) -> object:
    """Make what a template shows printable; markup is already, since it was drawn or escaped."""
    return value if isinstance(value, Markup) else printable(value)


def _source(name: str) -> str | None:
    file = resources.files("semscale.report").joinpath("templates", name)
    return file.read_text(encoding="utf-8") if file.is_file() else None
