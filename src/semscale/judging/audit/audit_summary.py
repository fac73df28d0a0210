"""Summary of audits of one judge or several on a table."""

from dataclasses import dataclass
from typing import Any

from semscale.judging.audit.audit import Audit
from semscale.judging.audit.beside_people import BesidePeople
from semscale.judging.panel import joined
from semscale.judging.verdict import REPLIED
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.intervals.means import estimate_mean
from semscale.types import Status


@dataclass(frozen=True, repr=False)
class AuditSummary(Presentable):
    """The findings of audits, one for each judge.

    Attributes:
        source: what the table is called.
        audits: what was found about each judge, by its name.
    """

    source: str
    audits: dict[str, Audit]

    def __repr__(self) -> str:
        return f"AuditSummary(source={self.source!r}, judges={list(self.audits)})"

    @property
    def stopped(self) -> str | None:
        """Why not everything was asked, or ``None``."""
        return next((found.stopped for found in self.audits.values() if found.stopped), None)

    @property
    def signature(self) -> Signature:
        """The judge's signature; of several judges one with the fields of each, numbered from 1."""
        signatures = [found.signature for found in self.audits.values()]
        return signatures[0] if len(signatures) == 1 else joined(signatures)

    @property
    def failed(self) -> str | None:
        """Why every call failed; ``None`` where one brought a reply, or where nobody was asked."""
        verdicts = [verdict for found in self.audits.values() for verdict in found.plain.verdicts]
        if any(verdict.status in REPLIED for verdict in verdicts):
            return None
        return next((verdict.reason for verdict in verdicts if verdict.status is Status.FAILED), None)

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "judge audit",
            "source": self.source,
            "judges": [_judge(name, found) for name, found in self.audits.items()],
            "stopped": self.stopped,
        }


def _judge(name: str, found: Audit) -> dict[str, Any]:
    checks = [
        {
            "check": check.name,
            "changes": check.meaning,
            "skipped": check.skipped,
            "effect": check.effect,
            "moved": check.moved,
            "biased": check.biased,
        }
        for check in found.checks
    ]
    return {
        "name": name,
        "rows": len(found.plain),
        "counts": found.plain.counts,
        "interval": found.interval,
        "checks": checks,
        "calls_a_row": found.calls_a_row,
        "order_bias": found.order_bias,
        "method": dict(found.plain.signature.fields).get("method", "prose"),
        "not_taken": [each.record() for each in found.plain.not_taken],
        "expected": estimate_mean(found.plain.expected, bounds=(0.0, 1.0), plan=found.plan),
        "spent": _spent(found),
        "people": _people(found),
        "signature": found.signature,
    }


def _spent(found: Audit) -> dict[str, Any] | None:
    spent = found.spent
    if spent is None:
        return None
    return {
        "calls": spent.calls,
        "prompt_tokens": found.usage.prompt_tokens,
        "reply_tokens": found.usage.completion_tokens,
        "money": spent.money,
        "cost": found.cost,
        "currency": None if found.price is None else found.price.currency,
    }


def _people(found: Audit) -> dict[str, Any] | None:
    people = found.people
    if people is None:
        return None
    return {
        "judge_less_people": people.less,
        "distance": people.off,
        "kappa": people.kappa,
        "ranked_probability_score": people.rps,
        "calibration": _calibration(people),
    }


def _calibration(people: BesidePeople) -> dict[str, Any] | None:
    figures = people.calibration
    if figures is None:
        return None
    return {
        "error": figures.error,
        "error_by_chance": figures.error_by_chance,
        "p_value": figures.error_p_value,
        "brier": figures.brier,
        "rows": figures.n,
    }
