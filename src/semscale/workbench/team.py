"""Access of a team: a reverse proxy signs people in, and states who sends each request.

The proxy proves itself by a secret that only it and the workbench know. So a header with a name is believed
only if the secret comes with it.
"""

import hmac
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Scope

from semscale.errors import InputError
from semscale.input_files import configuration_file
from semscale.messages import first_mistake
from semscale.workbench.access import READING, STATIC, is_from_page_of, refusal
from semscale.workbench.label_journals import rater_name
from semscale.workbench.users import Role, RoleError, User, set_current_user

SECRET = "SEMSCALE_PROXY_SECRET"
"""Environment variable with the secret that the proxy sends."""

EVERYBODY = "*"
"""In the table of roles, everybody who has no line."""

_FILE = "workbench.toml"
_SHORTEST_SECRET = 32
_ADDRESS = r"(?i)^https?://[a-z0-9.-]+(:[0-9]{1,5})?$"

HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9-]*$")]


class Team(BaseModel):
    """The users' file ``workbench.toml``.

    Attributes:
        address: address by which people open the workbench, such as ``https://surveys.example.org``.
        user_header: header with the name of the person.
        secret_header: header with the secret.
        roles: role of each person by name; that of ``*`` holds for everybody else.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: Annotated[str, StringConstraints(to_lower=True, pattern=_ADDRESS)]
    user_header: HeaderName = "X-Semscale-User"
    secret_header: HeaderName = "X-Semscale-Secret"
    roles: Annotated[Mapping[str, Role], Field(min_length=1)]

    @property
    def host(self) -> str:
        """Name, and port if it is stated, that a request must name."""
        return urlsplit(self.address).netloc

    def role_of(self, name: str) -> Role | None:
        """Return the role of a person; ``None`` without one. Case does not matter."""
        roles = {known.casefold(): role for known, role in self.roles.items()}
        return roles.get(name.casefold(), self.roles.get(EVERYBODY))


def read_team() -> Team | None:
    """Read the team's file in the user's configuration folder; ``None`` if there is none.

    Raises:
        InputError: it cannot be read, or something in it is wrong.
    """
    path = team_file()
    try:
        return Team(**tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise InputError(f"{path}: {first_mistake(error, Team.model_fields)}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def team_file() -> Path:
    """Return the path of the team's file."""
    return configuration_file(_FILE)


class TeamAccess:
    """The people whom a reverse proxy has signed in.

    Args:
        team: names of headers, and roles.
        secret: the secret of the proxy; by default the value of ``SEMSCALE_PROXY_SECRET``.

    Attributes:
        address: the address that people open.

    Raises:
        InputError: there is no secret, or it is too short.
    """

    def __init__(self, team: Team, secret: str | None = None) -> None:
        secret = os.environ.get(SECRET, "") if secret is None else secret
        if len(secret) < _SHORTEST_SECRET:
            raise InputError(
                f"{SECRET} must be a secret of at least {_SHORTEST_SECRET} characters that the proxy sends "
                f"in {team.secret_header}, such as the output of: openssl rand -hex 32"
            )
        self._team, self._secret, self.address = team, secret, team.address

    def answer(self, scope: Scope) -> Response | None:
        """Refuse a request, or note who sends it and pass it on."""
        headers, team = Headers(scope=scope), self._team
        if headers.get("host", "").lower() != team.host:
            return refusal("This address is not the workbench's.")
        if not self._has_secret(headers):
            return refusal(f"The request did not come through the proxy of {team.address}.")
        if scope["path"].startswith(STATIC) and scope["method"] in READING:
            return None
        changes = scope["method"] not in READING
        if changes and not is_from_page_of(team.address, headers):
            return refusal("The request does not come from a page of the workbench.")
        try:
            user = self._user(headers)
            user.check(scope["path"], changes=changes)
        except InputError as error:
            return refusal(f"{error}.", back="/" if isinstance(error, RoleError) else "")
        set_current_user(user)
        return None

    def _has_secret(self, headers: Headers) -> bool:
        shown = headers.getlist(self._team.secret_header)
        return len(shown) == 1 and hmac.compare_digest(shown[0].encode("latin-1"), self._secret.encode())

    def _user(self, headers: Headers) -> User:
        """Return who sends a request.

        Raises:
            InputError: the proxy names nobody, or the name cannot be shown.
            RoleError: the person has no role.
        """
        stated = headers.getlist(self._team.user_header)
        if len(stated) != 1 or not stated[0].strip():
            raise InputError(f"the proxy names nobody in {self._team.user_header}: sign in again")
        name = rater_name(stated[0].encode("latin-1").decode("utf-8", "replace"))
        role = self._team.role_of(name)
        if role is None:
            raise RoleError(f"{name} has no role in this workbench: ask who runs it for one")
        return User(name, role)
