"""Who labels in this browser: a team's person, or the name in a cookie that all pages share."""

from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import Response

from semscale.errors import InputError
from semscale.workbench.label_journals import rater_name
from semscale.workbench.users import current_user

_COOKIE = "semscale-rater"
_YEAR = 365 * 24 * 3600


def current_rater(request: Request) -> str:
    """Return the name of who labels; empty if nobody has stated one."""
    user = current_user()
    if user is not None:
        return user.name
    try:
        return rater_name(unquote(request.cookies.get(_COOKIE, "")))
    except InputError:
        return ""


def remember_rater(answer: Response, name: str) -> Response:
    """Let a response remember who labels; an empty name forgets it.

    Raises:
        InputError: the name cannot be one of a person who labels.
    """
    if name.strip():
        value = quote(rater_name(name), safe="")
        answer.set_cookie(_COOKIE, value, max_age=_YEAR, httponly=True, samesite="strict", path="/")
    else:
        answer.delete_cookie(_COOKIE, path="/")
    return answer
