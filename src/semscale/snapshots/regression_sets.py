"""Regression sets: questions with the answers that a candidate is held to, as a file that people can edit.

A set is a file of JSON lines. ``semscale drift record`` reads it as a run whose outputs are the right
answers, and a test module beside it checks a candidate's answers by ``semantic_snapshot.check_answer``.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from os.path import commonprefix
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semscale.errors import InputError
from semscale.input_files import read_input_text
from semscale.json_reading import parse_json
from semscale.store.answer_columns import likely_column
from semscale.store.reading import open_table
from semscale.types import Progress

if TYPE_CHECKING:
    from semscale.snapshots.answer_check import AnswerCheck, Outcome
    from semscale.snapshots.compare_outputs import SnapshotMeter

CANDIDATE = "SEMSCALE_CANDIDATE"
"""Environment variable with the file of a candidate's answers, which the test module reads."""

_BATCH = 20_000
_QUESTIONS_SEARCHED = 20
_MODULE = '''"""Hold a candidate to the right answers of {name}.jsonl, which lies beside this file.

Name a table with the candidate's answers, such as one with the columns id and output:

    {variable}=candidate.jsonl pytest {module}

or let the fixture ``answers`` ask your program about ``item.input``.
"""

import os
from pathlib import Path

import pytest

from semscale.snapshots.regression_sets import candidate_answers, read_set

SET = Path(__file__).with_name("{name}.jsonl")
ITEMS = [item for item in read_set(SET) if item.output] if SET.exists() else []


@pytest.fixture(scope="module")
def answers():
    return candidate_answers(ITEMS, os.environ["{variable}"])


@pytest.mark.parametrize("item", ITEMS, ids=[f"row-{{item.row}}" for item in ITEMS])
def test_answer(item, answers, semantic_snapshot):
    semantic_snapshot.check_answer(
        answers.get(item.id, ""), item.right_answers, question=item.input, rejected=item.rejected
    )
'''


@dataclass(frozen=True)
class RegressionItem:
    """A question with the answer that a candidate is held to.

    Attributes:
        id: name of the item.
        input: the question; empty if it is not known.
        output: the right answer; empty if it is not known, so that nothing is compared.
        answer: the answer that was measured.
        reference: the reference that it was measured with; empty without one.
        label: label of a person; empty without one.
        score: score of the measured answer, from 0 to 1; ``None`` without one.
        source: file with the measured answer.
        row: its row there, from 1.
        accepted: further answers that people call right; each passes like ``output``.
        rejected: answers that people call wrong; the same text fails.
    """

    id: str
    input: str = ""
    output: str = ""
    answer: str = ""
    reference: str = ""
    label: str = ""
    score: float | None = None
    source: str = ""
    row: int = 0
    accepted: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()

    @property
    def right_answers(self) -> tuple[str, ...]:
        """The answers that pass; none if no right answer is known."""
        return (self.output, *self.accepted) if self.output else ()


def parse_set(content: bytes | str, name: str) -> list[RegressionItem]:
    """Read the items of a set.

    Args:
        content: JSON lines; fields that a line lacks are empty, and others are left aside.
        name: name of the file in messages.

    Raises:
        InputError: a line is no item.
    """
    text = content if isinstance(content, str) else content.decode("utf-8-sig", "replace")
    items = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = parse_json(line)
            titles = RegressionItem.__dataclass_fields__
            known = {title: row[title] for title in titles if row.get(title) is not None}
            known |= {title: _texts(title, known.get(title, [])) for title in ("accepted", "rejected")}
            items.append(RegressionItem(**{"id": str(number), **known}))
        except (json.JSONDecodeError, AttributeError, TypeError) as error:
            raise InputError(f"{name}, line {number}: no item of a regression set ({error})") from None
    return items


def _texts(title: str, cell: object) -> tuple[str, ...]:
    if not isinstance(cell, list):
        raise TypeError(f"{title} must be a list of texts")
    return tuple(map(str, cell))


def set_content(items: Iterable[RegressionItem]) -> bytes:
    r"""Write the items of a set; an unknown right answer is null, so that ``drift`` reads no output.

    Examples:
        >>> set_content([RegressionItem("7", input="Why?", row=7)])[:52]
        b'{"id": "7", "input": "Why?", "output": null, "answer'
    """
    rows = [{**asdict(item), "output": item.output or None} for item in items]
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    return text.encode("utf-8", "backslashreplace")


def read_set(path: Path) -> list[RegressionItem]:
    """Read a set from its file.

    Raises:
        InputError: it cannot be read.
    """
    return parse_set(read_input_text(path), path.name)


def module_text(name: str, folder: str) -> str:
    """Return the test module of a set.

    Args:
        name: name of the set.
        folder: folder of both, as the command names it.
    """
    return _MODULE.format(name=name, variable=CANDIDATE, module=f"{folder}/test_{name}.py")


def candidate_answers(items: Sequence[RegressionItem], path: str | Path) -> dict[str, str]:
    """Return a candidate's answers to the items of a set, by the items' IDs.

    An item's answer is the one with its ID and its question, if the table has both. Without such an ID, it is
    the one to the same question. A prompt may have words around the question: any with the same ID, and
    otherwise words that all prompts of the table begin or end with, such as instructions of the application.

    Args:
        items: the items.
        path: a table with the candidate's answers, whose columns have usual names such as ``id`` and
            ``output``, or a log of an evaluation.

    Raises:
        InputError: the table cannot be read, has no column of answers or none that names the items, or has
            an answer to none of them.
    """
    table = open_table(path)
    used: dict[str, str] = {}
    for use in ("question", "answer", "id"):
        used[use] = likely_column(use, table.columns, used.values())
    if not used["answer"] or not (used["id"] or used["question"]):
        raise InputError(
            f"{table.name} needs a column of answers, such as output, and one of IDs or questions, such as "
            f"id or input; it has {', '.join(table.columns)}"
        )
    titles = [name for name in used.values() if name]
    rows = [row for batch in table.batches_with(titles, _BATCH) for row in batch.iter_rows(named=True)]
    by_id = {str(row[used["id"]]): row for row in rows} if used["id"] else {}
    by_prompt = {_text(row.get(used["question"])): row for row in rows} if used["question"] else {}
    within = questions_within(list(by_prompt), [item.input for item in items])
    by_question = dict(zip(within, by_prompt.values(), strict=True)) | by_prompt
    answers = {}
    for item in items:
        row = by_id.get(item.id)
        if row is None or (used["question"] and item.input not in _text(row[used["question"]])):
            row = by_question.get(item.input) if item.input else None
        if row is not None:
            answers[item.id] = _text(row[used["answer"]])
    if items and not answers:
        columns = " and ".join(used[use] for use in ("id", "question") if used[use])
        raise InputError(
            f"{table.name} has an answer to none of the {len(items):,} questions of the set, by its columns "
            f"{columns}: it needs the IDs or the questions of the set"
        )
    return answers


def questions_within(prompts: Sequence[str], questions: Iterable[str]) -> list[str]:
    """Return prompts without the words that all of them have around the question, such as instructions.

    Of several ways to cut the prompts, the one is taken by which most of the first questions are found. If
    none is found, prompts stay as they are.

    Args:
        prompts: the prompts, in which questions may have words around them.
        questions: the questions.

    Examples:
        >>> questions_within(["Be brief: Why?", "Be brief: How?"], ["How?"])
        ['Why?', 'How?']
    """
    longest = len(commonprefix(prompts)), len(commonprefix([prompt[::-1] for prompt in prompts]))
    found: Counter[tuple[int, int]] = Counter()
    for question in islice(filter(None, questions), _QUESTIONS_SEARCHED):
        for prompt in prompts:
            before, is_inside, after = prompt.rpartition(question)
            if is_inside and len(before) <= longest[0] and len(after) <= longest[1]:
                found[len(before), len(after)] += 1
    n_before, n_after = max(found, key=found.__getitem__, default=(0, 0))
    return [prompt[n_before : len(prompt) - n_after] for prompt in prompts]


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell)


@dataclass(frozen=True)
class GatedItem:
    """An item of a set with a candidate's answer.

    Attributes:
        item: the item.
        answer: the answer; ``None`` if the candidate has none.
        check: comparison with the right answer; ``None`` if that is not known.
    """

    item: RegressionItem
    answer: str | None
    check: "AnswerCheck | None"


@dataclass(frozen=True)
class SetGate:
    """A candidate's answers to the items of a set.

    Attributes:
        items: the items: failed ones first, then unsure ones, as they were compared.
    """

    items: tuple[GatedItem, ...] = field(default=())

    @property
    def checked(self) -> "list[AnswerCheck]":
        """The checks of the items with a right answer."""
        return [item.check for item in self.items if item.check is not None]

    @property
    def outcome(self) -> "Outcome":
        """Fail if an answer fails, otherwise unsure if one is unsure or none was checked."""
        outcomes = [check.outcome for check in self.checked]
        worst: tuple[Outcome, ...] = ("fail", "unsure", "pass")
        return next((outcome for outcome in worst if outcome in outcomes), "unsure")

    def count(self, outcome: "Outcome") -> int:
        """Return the number of items with an outcome."""
        return sum(check.outcome == outcome for check in self.checked)

    def is_of(self, items: Iterable[RegressionItem]) -> bool:
        """Return whether these right answers were compared, apart from answers accepted or rejected since.

        Args:
            items: the items of the set as they are now.
        """
        compared = {gated.item.id: gated.item for gated in self.items}
        now = {item.id: item for item in items}
        return compared.keys() == now.keys() and all(
            item.output == now[id].output
            and {*item.accepted} <= {*now[id].accepted}
            and {*item.rejected} <= {*now[id].rejected}
            for id, item in compared.items()
        )

    def with_decisions(self, items: Iterable[RegressionItem]) -> "SetGate":
        """Return the gate with answers that people accepted or rejected since it was made.

        Args:
            items: the items of the set as they are now.
        """
        now = {item.id: item for item in items}
        return SetGate(tuple(_with_decision(gated, now.get(gated.item.id)) for gated in self.items))


def _with_decision(gated: GatedItem, now: RegressionItem | None) -> GatedItem:
    """Return an item with the outcome that a person gave its answer, if one did."""
    from semscale.snapshots.answer_check import REJECTED

    if gated.check is None or gated.answer is None or now is None:
        return gated
    if gated.answer in now.accepted:
        check = replace(gated.check, outcome="pass", reason="a person accepted it", findings=())
    elif gated.answer in now.rejected:
        check = replace(gated.check, outcome="fail", reason=REJECTED, findings=())
    else:
        return gated
    return replace(gated, check=check)


def gate_answers(
    items: Sequence[RegressionItem],
    answers: Mapping[str, str],
    meter: "SnapshotMeter",
    *,
    progress: Progress | None = None,
) -> SetGate:
    """Compare a candidate's answers with the right ones, as the set's test module does.

    Args:
        items: the items of a set.
        answers: the candidate's answers, as ``candidate_answers`` returns them.
        meter: scores texts.
        progress: called after each item.
    """
    from semscale.snapshots.answer_check import check_answer

    gated = []
    for number, item in enumerate(items):
        if progress:
            progress("comparing answers", number, len(items))
        answer = answers.get(item.id)
        right = item.right_answers
        checked = None
        if right:
            checked = check_answer(answer or "", right, meter, question=item.input, rejected=item.rejected)
        gated.append(GatedItem(item, answer, checked))
    order = ("fail", "unsure", "pass", None)
    return SetGate(tuple(sorted(gated, key=lambda one: order.index(one.check and one.check.outcome))))
