"""Evaluation of a submission to ClinIQLink: closed questions by rule, open ones by matching."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.input_files import read_input_text
from semscale.json_reading import parse_json
from semscale.matching.matcher import Matcher, uses_corpus
from semscale.presentable import Presentable
from semscale.reasoning import split_reasoning
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan, MeanEstimate, estimate_mean
from semscale.types import Floats, Progress

TASKS = (
    "true_false",
    "multiple_choice",
    "list",
    "short",
    "multi_hop",
    "short_inverse",
    "multi_hop_inverse",
)
"""The tasks; each one's file is called ``<task>.json``."""

_VERDICT = re.compile(r"\W*(true|false)\b", re.IGNORECASE)
_LETTER_LABEL = re.compile(r"[A-Za-z][.:] ")
_LETTERED = re.compile(r"\(?([A-Za-z])\s*[:.)]\s*(.*)", re.DOTALL)
_LETTER_START = re.compile(r"(?<![\w])\(?[A-Za-z]\s*[:.)]\s+")
_STEP = re.compile(r"\bstep\b\W*(?:number\W*)?(\d+)", re.IGNORECASE)
# With a colon it is a heading; without one the word may also stand inside a sentence.
_HEADINGS = (
    re.compile(r"explanation\W*?:\W*", re.IGNORECASE),
    re.compile(r"explanation\b\W*", re.IGNORECASE),
)


@dataclass(frozen=True)
class Task:
    """One task file.

    Attributes:
        name: one of ``TASKS``.
        inputs: n items of the benchmark.
        replies: n texts, without the reasoning before them.
    """

    name: str
    inputs: list[Mapping[str, Any]]
    replies: list[str]


class TaskItems(NamedTuple):
    """Scores of one task's n items.

    Attributes:
        score: shape (n,), 0 to 1; NaN where the item states no right answer.
        n_invalid: replies without an answer that the task could score; they count as 0.
        figures: further figures about the whole task, by name.
    """

    score: Floats
    n_invalid: int
    figures: Mapping[str, float]


@dataclass(frozen=True)
class TaskScore:
    """One task's score.

    Attributes:
        task: its name.
        measure: ``accuracy``, ``macro F1`` or ``mean match``.
        estimate: the score with its interval; items whose right answer is not stated are left out.
        n_invalid: replies that are empty or cannot be read; the model was asked, so they count as 0.
        figures: further figures, by name.
    """

    task: str
    measure: str
    estimate: MeanEstimate
    n_invalid: int
    figures: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class EvaluationSummary(Presentable):
    """Scores of a submission.

    Attributes:
        source: the folder that was scored.
        tasks: one score for each task file, in the order of ``TASKS``.
        items: a table with one row per item: ``task``, ``item`` (counted from 1), ``reply``, ``score``.
        signature: the settings applied to the open questions.
        plan: how the intervals were made.
        created: time of the evaluation.
    """

    source: str
    tasks: tuple[TaskScore, ...]
    items: pl.DataFrame
    signature: Signature
    plan: IntervalPlan = IntervalPlan()
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        tasks, overall = len(self.tasks), self.overall
        return f"EvaluationSummary(source={self.source!r}, tasks={tasks}, overall={overall:.2f})"

    @property
    def overall(self) -> float:
        """Mean of the tasks' scores, each task counting the same; NaN where none has one."""
        values = [task.estimate.value for task in self.tasks if not np.isnan(task.estimate.value)]
        return float(np.mean(values)) if values else np.nan

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        return {
            "instrument": "match evaluate",
            "source": self.source,
            "overall": self.overall,
            "tasks": [
                {
                    "task": task.task,
                    "measure": task.measure,
                    "estimate": task.estimate,
                    "invalid": task.n_invalid,
                    "figures": task.figures,
                }
                for task in self.tasks
            ],
            "interval": self.plan.interval,
            "seed": self.plan.seed,
            "replicates": self.plan.replicates,
            "signature": self.signature,
            "created": self.created,
        }


def evaluate_submission(
    folder: str | Path,
    *,
    method: str = "cliniqlink-doc",
    progress: Progress | None = None,
    **settings: Any,
) -> EvaluationSummary:
    """Score a folder of task files, closed questions by rule and open ones by matching.

    Word weights and the similarity of unrelated texts are estimated from the right answers of all tasks,
    unless ``corpus`` is set.

    Args:
        folder: contains ``true_false.json`` and the other task files.
        method: name of the method of matching.
        progress: called while texts are embedded.
        settings: settings of ``semscale.matching.matcher.Matcher``.

    Raises:
        InputError: as ``load_submission`` and ``Matcher``.
    """
    tasks = load_submission(folder)
    if settings.get("corpus") is None and uses_corpus(method):
        settings["corpus"] = [answer for task in tasks.values() for answer in right_answers(task)] or None
    matcher = Matcher(method, **settings)
    signature, plan = Signature.of("evaluate", method=method), IntervalPlan()
    scores: list[TaskScore] = []
    tables: list[pl.DataFrame] = []
    for task in tasks.values():
        if task.name in _CLOSED:
            measure, score_closed = _CLOSED[task.name]
            items = score_closed(task)
        else:
            measure = "mean match"
            items, signature = score_open(task, matcher, progress)
        estimate = estimate_mean(items.score, bounds=(0.0, 1.0), plan=plan)
        scores.append(TaskScore(task.name, measure, estimate, items.n_invalid, dict(items.figures)))
        tables.append(
            pl.DataFrame(
                {
                    "task": pl.Series([task.name] * len(task.replies), dtype=pl.String),
                    "item": pl.Series(range(1, len(task.replies) + 1), dtype=pl.Int64),
                    "reply": pl.Series(task.replies, dtype=pl.String),
                    "score": pl.Series(items.score, nan_to_null=True, dtype=pl.Float64),
                }
            )
        )
    return EvaluationSummary(str(folder), tuple(scores), pl.concat(tables), signature, plan)


def load_submission(folder: str | Path) -> dict[str, Task]:
    """Read the task files in a folder.

    Returns:
        The tasks by name, in the order of ``TASKS``; those without a file are absent.

    Raises:
        InputError: the folder has no task file, or a file has another form; the message names it.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{root} is not a folder; give the one that holds {TASKS[0]}.json and the others")
    tasks = {name: read_task(root / f"{name}.json") for name in TASKS if (root / f"{name}.json").is_file()}
    if not tasks:
        names = ", ".join(f"{name}.json" for name in TASKS)
        raise InputError(f"{root} holds none of the task files {names}")
    return tasks


def read_task(path: Path) -> Task:
    """Read one task file: ``{"inputs": [...], "responses": [...]}``, both of one length.

    Raises:
        InputError: no JSON, a key is missing, or the lists have unequal lengths.
    """
    try:
        content = parse_json(read_input_text(path))
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise InputError(
            f"{path.name} must hold an object with inputs and responses, got a {type(content).__name__}"
        )
    for key in ("inputs", "responses"):
        if not isinstance(content.get(key), list):
            raise InputError(f"{path.name} must hold a list {key!r}, got {type(content.get(key)).__name__}")
    inputs, replies = content["inputs"], content["responses"]
    if len(inputs) != len(replies):
        raise InputError(
            f"{path.name}: inputs and responses must have equal lengths, got {len(inputs)} inputs "
            f"and {len(replies)} responses"
        )
    for number, item in enumerate(inputs, start=1):
        if not isinstance(item, dict):
            raise InputError(f"{path.name}: input {number} must be an object, got {type(item).__name__}")
    return Task(path.stem, inputs, [split_reasoning(reply_text(reply))[1] for reply in replies])


def reply_text(reply: object) -> str:
    """Return a reply's text, which pipelines nest in lists and under ``generated_text`` or ``text``.

    Examples:
        >>> reply_text([{"generated_text": " True "}])
        'True'
    """
    if isinstance(reply, list | tuple):
        return " ".join(map(reply_text, reply)).strip()
    if isinstance(reply, dict):
        return str(reply.get("generated_text") or reply.get("text") or "").strip()
    return "" if reply is None else str(reply).strip()


def right_answers(task: Task) -> list[str]:
    """List the right answers of a task's items; the parts of an answer are joined."""
    answers = (_read_text(item, "answer") for item in task.inputs)
    return [answer for answer in answers if answer.strip()]


def _read_text(item: Mapping[str, Any], key: str) -> str:
    """Return the text under a key, its parts joined; an empty one where it is null."""
    answer = item.get(key)
    if isinstance(answer, list):
        return " ".join(map(str, answer))
    return "" if answer is None else str(answer)


def score_open(task: Task, matcher: Matcher, progress: Progress | None = None) -> tuple[TaskItems, Signature]:
    """Match replies to open questions with the right answers; one that repeats the question scores 0."""
    is_inverse = task.name == "multi_hop_inverse"
    replies = task.replies
    if is_inverse:
        steps = [read_expected_step(item.get("incorrect_reasoning_step", "")) for item in task.inputs]
        expected = [explanation for _, explanation in steps]
        replies = [explanation_in(reply) for reply in replies]
    else:
        key = "incorrect_explanation" if task.name == "short_inverse" else "answer"
        expected = [_read_text(item, key) for item in task.inputs]
    matches = matcher.match(replies, expected, progress=progress)
    score = matches.score.copy()
    for row, (item, reply) in enumerate(zip(task.inputs, task.replies, strict=True)):
        is_echo = reply.strip().lower() in {"", str(item.get("question", "")).strip().lower()}
        if is_echo and expected[row].strip():
            score[row] = 0.0
    n_empty = sum(not reply.strip() for reply in task.replies)
    if not is_inverse:
        return TaskItems(score, n_empty, {}), matches.signature
    named, right = [find_step(reply) for reply in task.replies], [step for step, _ in steps]
    # An item without a step, or a reply that names none, keeps its score, as in the published evaluator.
    distances = [None if a is None or b is None else abs(a - b) for a, b in zip(named, right, strict=True)]
    score *= [1.0 if distance is None else step_factor(distance) for distance in distances]
    hits = [reply == step for reply, step in zip(named, right, strict=True) if step is not None]
    figures = {"step_accuracy": float(np.mean(hits)) if hits else np.nan}
    return TaskItems(score, n_empty, figures), matches.signature


def score_list(task: Task) -> TaskItems:
    """Score each item by the F1 of the options it lists; one that lists anything else is invalid.

    Returns:
        Scores whose mean is the macro F1, and ``micro_f1`` over the hits of all items.
    """
    counts, n_invalid = [], 0
    for item, reply in zip(task.inputs, task.replies, strict=True):
        options = options_of(item)
        right = {
            key for answer in item.get("answer", ()) if (key := find_chosen_option(str(answer), options))
        }
        chosen, unknown = find_chosen_options(reply, options)
        n_invalid += bool(unknown) or not chosen
        hits = 0 if unknown else len(chosen & right)
        counts.append((hits, len(chosen | unknown), len(right)))
    totals = np.array(counts, np.int64).reshape(-1, 3).sum(axis=0).tolist()
    return TaskItems(np.array([_f1(*row) for row in counts]), n_invalid, {"micro_f1": _f1(*totals)})


def score_multiple_choice(task: Task) -> TaskItems:
    """Score 1 for the right option, by its text or its letter; a reply that states no option is invalid."""
    options = [options_of(item) for item in task.inputs]
    right = [str(item.get("correct_answer", item.get("answer", ""))) for item in task.inputs]
    return _agreement(
        list(map(find_chosen_option, task.replies, options)), list(map(find_chosen_option, right, options))
    )


def score_true_false(task: Task) -> TaskItems:
    """Score 1 for the right verdict; a reply that does not start with one is invalid."""
    right = [true_or_false(str(item.get("answer", ""))) for item in task.inputs]
    return _agreement(list(map(true_or_false, task.replies)), right)


def _agreement(answers: list[Any], right: list[Any]) -> TaskItems:
    """Score 1 where an answer is right, NaN where no right answer is known; ``None`` is no answer."""
    score = [
        np.nan if key is None else float(answer == key) for answer, key in zip(answers, right, strict=True)
    ]
    return TaskItems(np.array(score), answers.count(None), {})


_CLOSED: dict[str, tuple[str, Callable[[Task], TaskItems]]] = {
    "true_false": ("accuracy", score_true_false),
    "multiple_choice": ("accuracy", score_multiple_choice),
    "list": ("macro F1", score_list),
}


def options_of(item: Mapping[str, Any]) -> list[str]:
    """List an item's options, without letters such as ``A.`` at their start.

    Examples:
        >>> options_of({"options": {"B": "lung", "A": "heart"}}), options_of({"options": ["A. heart"]})
        (['heart', 'lung'], ['heart'])
    """
    options = item.get("options", [])
    if isinstance(options, Mapping):
        options = [options[letter] for letter in sorted(options)]
    texts = list(map(str, options))
    for position, (letter, text) in enumerate(zip(ascii_uppercase, texts, strict=False)):
        if _LETTER_LABEL.match(text) and text[0].upper() == letter:
            texts[position] = _LETTER_LABEL.sub("", text, count=1)
    return texts


def option_f1(listed: Set[str], right: Set[str]) -> float:
    """Compute the F1 of listed options; NaN where none is right.

    Examples:
        >>> option_f1({"a", "c"}, {"a"})  # precision 1/2, recall 1
        0.6666666666666666
    """
    return _f1(len(listed & right), len(listed), len(right))


def _f1(hits: int, listed: int, right: int) -> float:
    """Compute 2 * hits / (listed + right), NaN where nothing is right."""
    return 2 * hits / (listed + right) if right else np.nan


def true_or_false(reply: str) -> bool | None:
    """Read the verdict that a reply starts with; ``None`` where it starts with something else.

    Examples:
        >>> true_or_false("False."), true_or_false("True, because ..."), true_or_false("It is true")
        (False, True, None)
    """
    verdict = _VERDICT.match(reply)
    return verdict[1].lower() == "true" if verdict else None


def option_key(text: str) -> str:
    """Normalise an option for comparison: without case, accents, punctuation and double spaces.

    Percent signs, commas and colons stay, as options differ by them.

    Examples:
        >>> option_key(" Apo B-48 (chylomicron)")
        'apo b 48 chylomicron'
    """
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).casefold()
    spaced = re.sub(r"[\u2013\u2014_/\\\[\](){};-]", " ", bare)
    characters = (c for c in spaced if unicodedata.category(c)[0] in "LNM" or c.isspace() or c in "%,:")
    return " ".join("".join(characters).split())


def find_chosen_option(reply: str, options: Sequence[str]) -> str | None:
    """Find the single option that a reply chose, by its letter, its text, or both where they agree.

    Returns:
        The option's key, or ``None`` where the reply states no option, or a letter and a text that differ.

    Examples:
        >>> [find_chosen_option(reply, ["3%", "30%"]) for reply in ("B", "30%.", "A: 3%", "A: 30%", "none")]
        ['30%', '30%', '3%', None, None]
    """
    return _option(reply.strip(), [option_key(option) for option in options])


def find_chosen_options(reply: str, options: Sequence[str]) -> tuple[set[str], set[str]]:
    """Find the options that a reply lists, between commas, semicolons or lines, or each after its letter.

    Only the first paragraph counts, as explanations follow after it.

    Returns:
        The keys of the options that were chosen, and of entries that are no option.

    Examples:
        >>> find_chosen_options("A, Apo E and more", ["Apo B", "Apo E"])
        ({'apo b'}, {'apo e and more'})
    """
    keys = [option_key(option) for option in options]
    chosen: set[str] = set()
    unknown: set[str] = set()
    for part in _parts(re.split(r"\n\s*\n", reply.strip())[0], keys):
        key = _option(part, keys)
        if key is None:
            unknown.add(option_key(part))
        else:
            chosen.add(key)
    return chosen, unknown


def _option(part: str, keys: Sequence[str]) -> str | None:
    """Read one option from a piece of a reply."""
    key = option_key(part)
    if key in keys:  # the text comes first: an option may itself look like a letter
        return key
    letters = dict(zip(ascii_uppercase, keys, strict=False))
    if key.upper() in letters:
        return letters[key.upper()]
    lettered = _LETTERED.fullmatch(part.strip())
    stated = option_key(lettered[2]) if lettered else None
    return stated if lettered and letters.get(lettered[1].upper()) == stated else None


def _parts(reply: str, keys: Sequence[str]) -> list[str]:
    """Split a list, but not inside options that have a comma in them."""
    starts = [letter.start() for letter in _LETTER_START.finditer(reply)]
    if len(starts) > 1 and not reply[: starts[0]].strip():
        ends = [*starts[1:], len(reply)]
        return [reply[start:end].strip(" ,;\n") for start, end in zip(starts, ends, strict=True)]
    segments = [part.strip() for part in re.split(r"[,;\n]", reply) if part.strip(" .")]
    longest = max((key.count(",") + 1 for key in keys), default=1)
    parts: list[str] = []
    while segments:
        lengths = range(min(longest, len(segments)), 0, -1)
        length = next((n for n in lengths if _option(", ".join(segments[:n]), keys)), 1)
        parts.append(", ".join(segments[:length]))
        segments = segments[length:]
    return parts


def find_step(text: str) -> int | None:
    """Return the first step that a text names by its number.

    Examples:
        >>> find_step("- **Step 3** contains the incorrect inference."), find_step("none of them")
        (3, None)
    """
    step = _STEP.search(text)
    return int(step[1]) if step else None


def explanation_in(text: str) -> str:
    """Return the text after the heading "Explanation:" or else that word; all of it where there is neither.

    Examples:
        >>> explanation_in("Step: 2. Explanation: it stains well")
        'it stains well'
    """
    heading = next((match for heading in _HEADINGS if (match := heading.search(text))), None)
    return text[heading.end() :].strip() if heading else text.strip()


def read_expected_step(lines: str | Sequence[str]) -> tuple[int | None, str]:
    """Read the wrong step and its explanation from an item's ``incorrect_reasoning_step``.

    Examples:
        >>> read_expected_step(["- Step 3 contains the error.", "- Explanation: no such link."])
        (3, 'no such link.')
    """
    listed = lines.splitlines() if isinstance(lines, str) else list(lines)
    explained = [line for heading in _HEADINGS for line in listed if heading.search(line)]
    steps = [step for step in map(find_step, listed) if step is not None]
    return (steps[0] if steps else None), explanation_in(explained[0] if explained else "\n".join(listed))


def step_factor(distance: int) -> float:
    """Return the factor for a named step that is off by n: 1, .7, .3, then half for every further step.

    Examples:
        >>> [step_factor(distance) for distance in range(5)]
        [1.0, 0.7, 0.3, 0.15, 0.075]
    """
    return 0.3 / 2 ** (distance - 2) if distance > 1 else (1.0, 0.7)[distance]
