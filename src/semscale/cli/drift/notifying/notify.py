"""A webhook that is told what the gate decided."""

import json
import os
from typing import TYPE_CHECKING, Annotated, Literal

from semscale.cli.errors import say
from semscale.cli.interrupts import said_if_stopped
from semscale.cli.options.groups import option_group
from semscale.cli.options.panels import OUTPUT, option
from semscale.errors import InputError, ReplyError

if TYPE_CHECKING:
    from semscale.cli.drift.notifying.webhook import Webhook
    from semscale.drift.gate.decision import GateDecision
    from semscale.drift.gate.drift_summary import DriftSummary

VARIABLE = "SEMSCALE_NOTIFY"
_TOLD = {"fail": ("fail",), "undecided": ("fail", "undecided"), "always": ("fail", "undecided", "pass")}
_JOB = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")


@option_group
class NotifyOptions:
    """Whom the gate tells what it decided, and when.

    Attributes:
        notify: address of a webhook.
        notify_on: the best outcome that is told, or ``always``.
    """

    notify: Annotated[
        str | None,
        option(
            OUTPUT,
            "Webhook that gets the decision: Slack's a short message, any other what --json prints. The "
            "address is a secret: better set SEMSCALE_NOTIFY.",
            "URL",
        ),
    ] = None
    notify_on: Annotated[
        Literal["fail", "undecided", "always"] | None,
        option(
            OUTPUT, "When it is sent: if the gate fails; if it fails or is undecided, the default; always."
        ),
    ] = None

    def check(self) -> None:
        """Check the address before anything is measured.

        Raises:
            InputError: it cannot be used, or there is none although ``--notify-on`` is given.
        """
        self._webhook()

    def tell(self, summary: "DriftSummary", kept_id: str) -> None:
        """Send the decision where its outcome is to be told; if that fails, say so and go on.

        Args:
            summary: the comparison and the decision.
            kept_id: id of the stored comparison.

        Raises:
            StoppedByUserError: stopped by the user.
        """
        webhook, decision = self._webhook(), summary.decision
        if webhook is None or decision is None or str(decision.outcome) not in self._told:
            return
        with said_if_stopped("stopped; the comparison is stored, and the webhook may not have been told"):
            try:
                webhook.post(_slack(summary, decision) if webhook.is_slack else _plain(summary, kept_id))
            except ReplyError as error:
                say(f"warning: the webhook was not told: {error}; the decision stands")

    @property
    def _told(self) -> tuple[str, ...]:
        return _TOLD[self.notify_on or "undecided"]

    def _webhook(self) -> "Webhook | None":
        """Return the webhook that the option or the environment names.

        Returns:
            ``None`` without one, or if the address is empty, as a secret is in a pull request from a fork.
        """
        address = self.notify or os.environ.get(VARIABLE, "").strip()
        if not address:
            if self.notify_on and self.notify is None and VARIABLE not in os.environ:
                raise InputError(
                    f"--notify-on belongs to --notify, or to {VARIABLE}: add the webhook's address"
                )
            return None
        from semscale.cli.drift.notifying.webhook import Webhook

        try:
            return Webhook(address)
        except InputError as error:
            raise InputError(f"{'--notify' if self.notify else VARIABLE}: {error}") from None


def _slack(summary: "DriftSummary", decision: "GateDecision") -> str:
    from semscale.report.ci import slack_message

    return json.dumps({"text": slack_message(summary, decision, link=_job())})


def _plain(summary: "DriftSummary", kept_id: str) -> str:
    from semscale.report.json_encoding import to_json

    document = summary.document()
    said = {"cautions": document.cautions, "warnings": document.warnings}
    # No files: they lie on this machine.
    return to_json(summary, **said, out=None, report=None, figures=None, comparison=kept_id)


def _job() -> str | None:
    """Return the address of the job in GitHub Actions that runs this; ``None`` elsewhere."""
    server, repository, run = (os.environ.get(name) for name in _JOB)
    return f"{server}/{repository}/actions/runs/{run}" if server and repository and run else None
