"""What came of judging a table, or of an audit, as JSON, for programs."""

import json
from typing import TYPE_CHECKING, Any

from semscale.cli.match_json import estimate_json, number_or_null
from semscale.report.judge_words import cautions, human_rows

if TYPE_CHECKING:
    from semscale.cli.judge_run import JudgedFile
    from semscale.judging.audit import Audit, BiasCheck
    from semscale.judging.judge_summary import JudgeSummary

_SHOWN = 20


def judge_json(judged: "JudgedFile") -> str:
    """Write what came of a run as a JSON object; what does not exist is null."""
    summary = judged.summary
    content = {
        "source": summary.source,
        "rows": summary.n,
        "counts": {str(status): n for status, n in summary.result.counts.items()},
        "overall": estimate_json(summary.estimate),
        "judges": [
            {
                "name": name,
                "template": verdicts.template.name,
                "counts": {str(status): n for status, n in verdicts.counts.items()},
                "provenance": {str(origin): n for origin, n in verdicts.provenances.items()},
                **estimate_json(summary.judge_estimates[name].overall_mean()),
            }
            for name, verdicts in summary.judges.items()
        ],
        "panel": _panel(summary),
        "human": {name: value for name, value, _ in human_rows(summary)} or None,
        "interval": summary.plan.interval,
        "seed": summary.plan.seed,
        "lowest": [_row(summary, row) for row in summary.lowest(_SHOWN).tolist()],
        "disputed": [_row(summary, row) for row in summary.most_disputed(_SHOWN).tolist()],
        "cautions": list(cautions(summary)),
        "stopped": summary.result.stopped,
        "signature": str(summary.result.signature),
        "out": None if judged.out is None else str(judged.out),
        "report": None if judged.report is None else str(judged.report),
        "created": summary.created.isoformat(timespec="seconds"),
    }
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)


def audit_json(audits: "list[tuple[str, Audit]]") -> str:
    """Write what audits found as a JSON list, one object a judge."""
    content = [
        {
            "judge": name,
            "rows": len(found.plain),
            "counts": {str(status): n for status, n in found.plain.counts.items()},
            "interval": found.interval,
            "checks": [_check(check) for check in found.checks],
            "signature": str(found.signature),
        }
        for name, found in audits
    ]
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)


def _check(check: "BiasCheck") -> dict[str, Any]:
    return {
        "check": check.name,
        "changes": check.meaning,
        "skipped": check.skipped,
        "effect": None if check.effect is None else estimate_json(check.effect),
        "moved": None if check.moved is None else estimate_json(check.moved),
        "biased": check.biased,
    }


def _panel(summary: "JudgeSummary") -> dict[str, Any] | None:
    panel = summary.panel
    if panel is None:
        return None
    truth = None if summary.human is None else summary.human.mean_label
    independent = panel.effective_judges(truth, interval=summary.plan.interval, seed=summary.plan.seed)
    return {
        "severities": [
            {"judge": name, **estimate_json(severity)}
            for name, severity in zip(panel.names, panel.severities(summary.plan), strict=True)
        ],
        "agreement": [
            {"judges": [panel.names[pair.first], panel.names[pair.second]],
             "kappa": number_or_null(pair.kappa.value), "low": number_or_null(pair.kappa.low),
             "high": number_or_null(pair.kappa.high), "rows": pair.kappa.n}
            for pair in panel.agreement(interval=summary.plan.interval, seed=summary.plan.seed)
        ],
        "effective_judges": {
            "value": number_or_null(independent.value), "low": number_or_null(independent.low),
            "high": number_or_null(independent.high), "of": independent.of,
        },
    }  # fmt: skip


def _row(summary: "JudgeSummary", row: int) -> dict[str, Any]:
    return {
        "row": row + 1,
        "expected": number_or_null(float(summary.expected[row])),
        "question": summary.cells.questions[row],
        "answer": summary.cells.answers[row],
        "verdicts": [
            {
                "judge": name,
                "status": str(verdicts[row].status),
                "score": number_or_null(verdicts[row].score),
                "expected": number_or_null(verdicts[row].expected),
                "explanation": verdicts[row].explanation or None,
            }
            for name, verdicts in summary.judges.items()
        ],
    }
