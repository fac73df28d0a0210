"""Cards of measured answers: texts with marks of guards, scores, replies of judges, and costs."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from semscale.report.document import (
    Cell,
    ItemCard,
    JudgeReply,
    Label,
    Line,
    Marked,
    Number,
    Quoted,
    mark_findings,
)
from semscale.report.formatting import one_line
from semscale.store.writing import PREFIX
from semscale.workbench.answer_files import AnswerRun, one_text

if TYPE_CHECKING:
    from semscale.guards.findings import Finding
    from semscale.judging.templates import Level

LONGEST, WHOLE = 900, 200_000
"""Characters of a text in a list, and of one that is opened."""

_MOST_SAMPLES = 3
_MASSES = f"{PREFIX}p_"
_MEASURED = (
    "confidence", "standard_error", "spread", "lost_content", "findings_factor", "contradicting_samples",
)  # fmt: skip
_LOG_WORDS = re.compile("reason|error|explanation_.*")


def answer_card(run: AnswerRun, row: int, *, is_whole: bool = False) -> ItemCard:
    """Return the card of an answer.

    Args:
        run: the answers.
        row: the row, from 0.
        is_whole: whether texts are shown to their ends, with all samples.
    """
    limit = WHOLE if is_whole else LONGEST
    cells = run.frame.row(row, named=True)
    answer, reference = run.text(row, "answer"), run.text(row, "reference")
    findings = _findings(answer, reference)
    texts: list[tuple[str, Marked]] = []
    if question := run.text(row, "question"):
        texts.append(("question", mark_findings(question, limit=limit)))
    samples = _samples(run, cells)
    of_samples = [(text, _findings(answer, text)) for text in samples]
    in_answer = findings or [finding for _, found in of_samples for finding in found]
    texts.append(("answer", mark_findings(answer, _spans(in_answer, "prediction"), limit=limit)))
    if reference:
        texts.append(("reference", mark_findings(reference, _spans(findings, "reference"), limit=limit)))
    shown = of_samples if is_whole else of_samples[:_MOST_SAMPLES]
    for text, found in shown:
        texts.append(("sample", mark_findings(text, _spans(found, "reference"), limit=limit)))
    named = [(finding.guard, one_line(reworded(finding.reason))) for finding in in_answer]
    n_hidden = len(of_samples) - len(shown)
    return ItemCard(
        row=row + 1,
        score=Number(float(run.scores[row])),
        labels=tuple(_labels(run, cells)),
        texts=tuple(texts),
        findings=tuple(dict.fromkeys(named)),
        parts=(*_parts(run, cells), *([("further samples", Number(n_hidden, 0))] if n_hidden else [])),
        replies=tuple(_replies(run, cells)),
    )


@lru_cache(maxsize=1000)
def _findings(answer: str, other: str) -> "list[Finding]":
    from semscale.guards.registry import Guards

    return Guards().check(answer, other) if answer and other else []


def reworded(reason: str, prediction: str = "answer", reference: str = "reference") -> str:
    """Call prediction and reference otherwise in a finding's reason, outside of what it quotes.

    Args:
        reason: the reason.
        prediction: name of the prediction.
        reference: name of the reference.

    Examples:
        >>> reworded('The prediction says "prediction".')
        'The answer says "prediction".'
    """
    pieces = reason.split('"')
    pieces[::2] = [
        piece.replace("reference", reference).replace("prediction", prediction) for piece in pieces[::2]
    ]
    return '"'.join(pieces)


def _spans(findings: "list[Finding]", side: str) -> Iterator[tuple[str, Any]]:
    return ((finding.guard, getattr(finding, side)) for finding in findings)


def _samples(run: AnswerRun, cells: Mapping[str, Any]) -> list[str]:
    """Return the samples of an answer, those in lists as well."""
    found: list[str] = []
    for name in run.sample_columns:
        cell = cells[name]
        if isinstance(cell, str) and cell.startswith("["):
            cell = _parsed(cell)
        found += [one_text(entry) for entry in (cell if isinstance(cell, list) else [cell])]
    return [text for text in found if text.strip()]


def _parsed(cell: str) -> Any:
    try:
        return json.loads(cell)
    except ValueError:
        return cell


def _labels(run: AnswerRun, cells: Mapping[str, Any]) -> Iterator[Line]:
    """Yield why a row has no score, and the names of what answered."""
    status = cells.get(f"{PREFIX}status")
    if status is not None and status != "scored":
        yield str(status)
    for name in ("model", "provider"):
        if run.form and cells.get(name):
            yield Quoted(cells[name])


def _parts(run: AnswerRun, cells: Mapping[str, Any]) -> Iterator[tuple[Line, Cell]]:
    """Yield the parts of a score, scores by other measures, and what the answer cost."""
    for name, title in run.score_names.items():
        if name != run.score:
            yield Quoted(title), _number(cells[name])
    for name in _MEASURED:
        value = cells.get(f"{PREFIX}{name}")
        if value is not None:
            yield name.replace("_", " "), _number(value)
    for name in run.cost_columns:
        if cells[name] is not None:
            yield name.removeprefix("call_").replace("_", " "), _number(cells[name], digits=None)


def _number(cell: Any, digits: int | None = 2) -> Cell:
    try:
        value = float(cell)
    except (TypeError, ValueError):
        return Quoted(cell)
    return Number(int(value) if value.is_integer() and digits is None else value, digits)


def _replies(run: AnswerRun, cells: Mapping[str, Any]) -> Iterator[JudgeReply]:
    """Yield what each judge or scorer said about an answer."""
    judges = [name for name in cells if name.startswith(f"{PREFIX}judge_") and name.endswith("_replies")]
    if run.kind == "judge" and not judges:
        levels = {name: float(cells[name] or 0.0) for name in cells if name.startswith(_MASSES)}
        masses = tuple((Label(name.removeprefix(_MASSES)), mass) for name, mass in levels.items() if mass > 0)
        yield _reply(run, "judge", cells, PREFIX, "expected", masses)
    for name in judges:
        start = name.removesuffix("_replies")
        yield _reply(run, start.removeprefix(PREFIX).replace("_", " "), cells, f"{start}_", "", ())
    if run.kind == "log":
        words = [one_text(cells[name]) for name in cells if _LOG_WORDS.fullmatch(name) and cells[name]]
        reasoning = one_text(cells.get("reasoning"))
        if words or reasoning:
            said = "\n".join([*words, *([f"Reasoning: {reasoning}"] if reasoning else [])])
            scorer = Quoted(run.score_names.get(run.score, "log"))
            yield JudgeReply(scorer, Label(""), (), Quoted(said, LONGEST))


def _reply(
    run: AnswerRun,
    judge: str,
    cells: Mapping[str, Any],
    start: str,
    score: str,
    masses: tuple[tuple[Cell, float], ...],
) -> JudgeReply:
    words = one_text(cells.get(f"{start}explanation")) or one_text(cells.get(f"{start}reason"))
    status = one_text(cells.get(f"{start}status"))
    value = cells.get(start + score if score else start.removesuffix("_"))
    shown = Number(math.nan if value is None else float(value))
    level = _chosen_level(run, cells) if masses else None
    if level is not None:
        judge = _point(run, level)
        if _number(cells.get(run.score)) != Number(level.score):  # otherwise, the card begins with it
            judge += f", which scores {level.score:.2f}"
    return JudgeReply(
        judge=Quoted(judge),
        score=shown if level is None else Quoted(level.label),
        masses=masses,
        words=Quoted(words, LONGEST),
        status="" if status in ("", "scored") else status,
    )


def _chosen_level(run: AnswerRun, cells: Mapping[str, Any]) -> "Level | None":
    """Return the level that a single judge chose; ``None`` if it chose none."""
    score = cells.get(f"{PREFIX}score")
    if score is None:
        return None
    return next((level for level in run.template.levels if math.isclose(level.score, score)), None)


def _point(run: AnswerRun, level: "Level") -> str:
    """Return a level by the number that the judge stated, or as a level without one."""
    if f"{_MASSES}{level.label}" in run.frame.columns:
        return "level"
    highest = max(other.number or 0 for other in run.template.levels)
    return f"level {level.shown} of {highest:g}"


def raw_replies(run: AnswerRun, row: int) -> list[tuple[str, str]]:
    """Return all raw replies and the reasoning of a row, each with its name.

    Args:
        run: the answers.
        row: the row, from 0.
    """
    cells = run.frame.row(row, named=True)
    found = []
    for name, cell in cells.items():
        if not name.endswith(("replies", "reasoning")) or cell is None:
            continue
        parsed = _parsed(cell) if isinstance(cell, str) and cell.startswith("[") else cell
        entries = parsed if isinstance(parsed, list) else [parsed]
        title = name.removeprefix(PREFIX).replace("_", " ").removesuffix("replies").strip() or "reply"
        found += [
            (f"{title} {index}" if len(entries) > 1 else title, one_text(entry))
            for index, entry in enumerate(entries, start=1)
            if entry
        ]
    return found


def further_cells(run: AnswerRun, row: int) -> list[tuple[str, str]]:
    """Return the cells of a row that its card does not show, by their columns.

    Args:
        run: the answers.
        row: the row, from 0.
    """
    shown = {*run.columns.values(), *run.sample_columns, *run.cost_columns, *run.score_names}
    elsewhere = ("replies", "reasoning", "explanation")
    cells = run.frame.row(row, named=True)
    return [
        (name, one_text(cell))
        for name, cell in cells.items()
        if name not in shown and cell is not None and not name.endswith(elsewhere)
    ]
