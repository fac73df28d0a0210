"""The webhook that gets a gate's decision."""

import http
import json
import os
from http.client import HTTPException
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from semscale.chat.endpoint import Scrubber
from semscale.errors import InputError, ReplyError
from semscale.version import __version__

if TYPE_CHECKING:
    from semscale.drift.summary import DriftSummary

_SECONDS = 10.0


_SLACK = ("hooks.slack.com", "hooks.slack-gov.com")


class Webhook:
    """An address that takes messages as JSON.

    Args:
        address: of http or https, such as one of Slack's incoming webhooks. The variables of proxies are
            heeded, and redirects are not followed.

    Raises:
        InputError: it is no such address.
    """

    def __init__(self, address: str) -> None:
        try:
            parts = urlsplit(address)
            is_address = parts.scheme in {"http", "https"} and bool(parts.hostname)
        except ValueError:
            is_address = False
        if not is_address or not address.isascii() or not address.isprintable() or " " in address:
            raise InputError("the webhook must be an address such as https://hooks.slack.com/services/...")
        self._address = address
        self._scrubber = Scrubber([address, parts.hostname or "", parts.path, parts.query])
        self.is_slack = parts.hostname in _SLACK

    def post(self, content: str) -> None:
        """Send a message.

        Args:
            content: JSON.

        Raises:
            ReplyError: it was not accepted; the message says why, without the address.
        """
        headers = {"Content-Type": "application/json", "User-Agent": f"semscale/{__version__}"}
        request = Request(self._address, content.encode("utf-8"), headers)
        try:
            build_opener(_NoRedirects).open(request, timeout=_SECONDS).close()
        except (OSError, HTTPException, ValueError) as error:
            failure = self._scrubber.line(_why(error))
        else:
            return
        raise ReplyError(failure)  # outside the handler: errors of the library hold the address

    def __repr__(self) -> str:
        return "Webhook()"


class _NoRedirects(HTTPRedirectHandler):
    """Takes a redirect as a refusal: followed, the message would be lost on the way."""

    def redirect_request(self, *_: object) -> None:
        """Follow none."""


def _why(error: Exception) -> str:
    if isinstance(error, HTTPError):
        known = error.code in {status.value for status in http.HTTPStatus}
        return f"it answered {error.code}{f', {http.HTTPStatus(error.code).phrase}' if known else ''}"
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, TimeoutError):
        return f"it did not answer within {_SECONDS:g} s"
    description = getattr(reason, "strerror", None)
    return str(description) if description else "the connection broke"


VARIABLE = "SEMSCALE_NOTIFY"


_JOB = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")


def slack_json(summary: "DriftSummary") -> str:
    """Return a decision as a message to Slack, in JSON."""
    from semscale.report.drift_ci import slack_message

    return json.dumps({"text": slack_message(summary, link=_job())})


def summary_json(summary: "DriftSummary", comparison_id: str) -> str:
    """Return a decision as JSON, as the command prints it."""
    from semscale.report.json_encoding import to_json

    document = summary.document()
    notes = {"cautions": document.cautions, "warnings": document.warnings}
    # No paths of files: these are on this machine.
    return to_json(summary, **notes, out=None, report=None, figures=None, comparison=comparison_id)


def _job() -> str | None:
    """Return the address of the job in GitHub Actions that runs this; ``None`` elsewhere."""
    server, repository, run = (os.environ.get(name) for name in _JOB)
    return f"{server}/{repository}/actions/runs/{run}" if server and repository and run else None
