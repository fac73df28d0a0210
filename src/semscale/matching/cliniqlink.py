"""Evaluation of a submission to ClinIQLink: closed questions by rule, open ones by matching."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.matching.matcher import Matcher
from semscale.matching.methods import uses_corpus
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
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


_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)


_UNFINISHED_THOUGHT = re.compile(r"<think>.*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Task:
    """One task file.

    Attributes:
        name: one of ``TASKS``.
        inputs: n items, as the benchmark gives them.
        replies: n texts, without what stood between ``<think>`` marks.
    """

    name: str
    inputs: list[Mapping[str, Any]]
    replies: list[str]


def load_submission(folder: str | Path) -> dict[str, Task]:
    """Read the task files that a folder holds.

    Returns:
        The tasks by name, in the order of ``TASKS``; those without a file are absent.

    Raises:
        InputError: the folder holds no task file, or a file is not as it should be; it is named.
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
        content = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise InputError(
            f"{path.name} must hold an object with inputs and responses, got a {type(content).__name__}"
        )
    inputs, replies = (_list_of(content, key, path) for key in ("inputs", "responses"))
    if len(inputs) != len(replies):
        raise InputError(
            f"{path.name}: inputs and responses must have equal lengths, got {len(inputs)} inputs "
            f"and {len(replies)} responses"
        )
    for number, item in enumerate(inputs, start=1):
        if not isinstance(item, dict):
            raise InputError(f"{path.name}: input {number} must be an object, got {type(item).__name__}")
    return Task(path.stem, inputs, [without_thoughts(reply_text(reply)) for reply in replies])


def reply_text(reply: object) -> str:
    """Take the text out of a reply as pipelines nest it, in lists and under ``generated_text`` or ``text``.

    Example:
        >>> reply_text([{"generated_text": " True "}])
        'True'
    """
    if isinstance(reply, list | tuple):
        return " ".join(map(reply_text, reply)).strip()
    if isinstance(reply, dict):
        return str(reply.get("generated_text") or reply.get("text") or "").strip()
    return "" if reply is None else str(reply).strip()


def without_thoughts(reply: str) -> str:
    """Remove what a model wrote between ``<think>`` marks, also where the second mark never came.

    Example:
        >>> without_thoughts("<think>Is it?</think> True")
        'True'
    """
    return _UNFINISHED_THOUGHT.sub("", _THOUGHTS.sub("", reply)).strip()


def _list_of(content: Mapping[str, Any], key: str, path: Path) -> list[Any]:
    if not isinstance(content.get(key), list):
        raise InputError(f"{path.name} must hold a list {key!r}, got {type(content.get(key)).__name__}")
    found: list[Any] = content[key]
    return found


@dataclass(frozen=True)
class TaskItems:
    """Scores of one task's n items.

    Attributes:
        score: shape (n,), 0 to 1; NaN where the item states no right answer.
        n_invalid: replies that say nothing the task could score; they count as 0.
        figures: further figures about the whole task, by name.
    """

    score: Floats
    n_invalid: int
    figures: Mapping[str, float]


def score_list(task: Task) -> TaskItems:
    """Score each item by the F1 of the options it lists; one that lists anything else is invalid.

    Returns:
        Scores whose mean is the macro F1, and ``micro_f1`` over the hits of all items.
    """
    score, invalid = [], 0
    hits = listed = wanted = 0
    for item, reply in zip(task.inputs, task.replies, strict=True):
        options = options_of(item)
        right = {key for answer in item.get("answer", ()) if (key := chosen_option(str(answer), options))}
        chosen, unknown = chosen_options(reply, options)
        invalid += bool(unknown) or not chosen
        common = 0 if unknown else len(chosen & right)
        score.append(_f1(common, len(chosen | unknown), len(right)))
        hits, listed, wanted = hits + common, listed + len(chosen | unknown), wanted + len(right)
    return TaskItems(np.array(score), invalid, {"micro_f1": _f1(hits, listed, wanted)})


def score_multiple_choice(task: Task) -> TaskItems:
    """Score 1 for the right option, by its text or its letter; a reply that states no option is invalid."""
    score, invalid = [], 0
    for item, reply in zip(task.inputs, task.replies, strict=True):
        options = options_of(item)
        right = chosen_option(str(item.get("correct_answer", item.get("answer", ""))), options)
        chosen = chosen_option(reply, options)
        invalid += chosen is None
        score.append(np.nan if right is None else float(chosen == right))
    return TaskItems(np.array(score), invalid, {})


def score_true_false(task: Task) -> TaskItems:
    """Score 1 for the right verdict; a reply that does not start with one is invalid."""
    verdicts = [true_or_false(reply) for reply in task.replies]
    right = [true_or_false(str(item.get("answer", ""))) for item in task.inputs]
    score = [
        np.nan if truth is None else float(said is truth) for said, truth in zip(verdicts, right, strict=True)
    ]
    return TaskItems(np.array(score), verdicts.count(None), {})


_CLOSED: dict[str, tuple[str, Callable[[Task], TaskItems]]] = {
    "true_false": ("accuracy", score_true_false),
    "multiple_choice": ("accuracy", score_multiple_choice),
    "list": ("macro F1", score_list),
}


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


@dataclass(frozen=True)
class SubmissionScores:
    """Scores of a submission.

    Attributes:
        tasks: one score for each task file, in the order of ``submission.TASKS``.
        items: a table with one row an item: ``task``, ``item`` (counted from 1), ``reply``, ``score``.
        signature: the settings applied to the open questions.
        plan: how the intervals were made.
    """

    tasks: tuple[TaskScore, ...]
    items: pl.DataFrame
    signature: Signature
    plan: IntervalPlan = IntervalPlan()

    @property
    def overall(self) -> float:
        """Mean of the tasks' scores, each task counting the same; NaN where none has one."""
        values = [task.estimate.value for task in self.tasks if not np.isnan(task.estimate.value)]
        return float(np.mean(values)) if values else np.nan


def evaluate_submission(
    folder: str | Path,
    *,
    method: str = "cliniqlink-doc",
    progress: Progress | None = None,
    **settings: Any,
) -> SubmissionScores:
    """Score a folder of task files, closed questions by rule and open ones by matching.

    Word weights and the similarity of unrelated texts are estimated from the right answers of all tasks,
    unless ``corpus`` is given.

    Args:
        folder: holds ``true_false.json`` and the others.
        method: name of the method of matching.
        progress: called while texts are embedded.
        settings: as ``semscale.matching.matcher.Matcher`` takes them.

    Raises:
        InputError: as ``load_submission`` and ``Matcher``.
    """
    tasks = load_submission(folder)
    if settings.get("corpus") is None and uses_corpus(method):
        settings["corpus"] = [answer for task in tasks.values() for answer in right_answers(task)] or None
    matcher = Matcher(method, **settings)
    signature, plan = Signature.of("evaluate", method=method), IntervalPlan()
    scored: list[TaskScore] = []
    tables: list[pl.DataFrame] = []
    for task in tasks.values():
        if task.name in _CLOSED:
            measure, score = _CLOSED[task.name]
            items = score(task)
        else:
            measure = "mean match"
            items, signature = score_open(task, matcher, progress)
        estimate = estimate_mean(items.score, bounds=(0.0, 1.0), plan=plan)
        scored.append(TaskScore(task.name, measure, estimate, items.n_invalid, dict(items.figures)))
        tables.append(_table(task, items.score))
    return SubmissionScores(tuple(scored), pl.concat(tables), signature, plan)


def right_answers(task: Task) -> list[str]:
    """List the answers that a task's items state, those of several parts joined."""
    stated = (_stated(item, "answer") for item in task.inputs)
    return [answer for answer in stated if answer.strip()]


def score_open(task: Task, matcher: Matcher, progress: Progress | None = None) -> tuple[TaskItems, Signature]:
    """Match replies to open questions with what is expected; one that repeats the question scores 0."""
    inverse = task.name == "multi_hop_inverse"
    steps = [expected_step(item.get("incorrect_reasoning_step", "")) for item in task.inputs]
    key = "incorrect_explanation" if task.name == "short_inverse" else "answer"
    expected = [step[1] for step in steps] if inverse else [_stated(item, key) for item in task.inputs]
    replies = [explanation_in(reply) if inverse else reply for reply in task.replies]
    matches = matcher.match(replies, expected, progress=progress)
    score = matches.score.copy()
    asked = [str(item.get("question", "")).strip().lower() for item in task.inputs]
    said = [reply.strip().lower() for reply in task.replies]
    worthless = np.array(
        [not reply or reply == question for reply, question in zip(said, asked, strict=True)], bool
    )
    score[worthless & np.array([bool(text.strip()) for text in expected], bool)] = 0.0
    if not inverse:
        return TaskItems(score, said.count(""), {}), matches.signature
    named = [named_step(reply) for reply in task.replies]
    right = [step[0] for step in steps]
    figures = {"step_accuracy": _share_equal(named, right)}
    return TaskItems(score * _step_factors(named, right), said.count(""), figures), matches.signature


def _stated(item: Mapping[str, Any], key: str) -> str:
    """Give what an item states, its parts joined; nothing where it is null."""
    answer = item.get(key)
    if isinstance(answer, list):
        return " ".join(map(str, answer))
    return "" if answer is None else str(answer)


def _step_factors(named: list[int | None], right: list[int | None]) -> Floats:
    """Give the factor of each item; 1 where a step is not named, as the published evaluator has it."""
    both = zip(named, right, strict=True)
    return np.array([1.0 if None in pair else step_factor(abs(pair[0] - pair[1])) for pair in both])  # type: ignore[operator]


def _share_equal(named: list[int | None], right: list[int | None]) -> float:
    known = [said == truth for said, truth in zip(named, right, strict=True) if truth is not None]
    return float(np.mean(known)) if known else np.nan


def _table(task: Task, score: Floats) -> pl.DataFrame:
    n = len(task.replies)
    return pl.DataFrame(
        {
            "task": [task.name] * n,
            "item": range(1, n + 1),
            "reply": task.replies,
            "score": pl.Series(score, nan_to_null=True, dtype=pl.Float64),
        },
        schema={"task": pl.String, "item": pl.Int64, "reply": pl.String, "score": pl.Float64},
    )


@dataclass(frozen=True, repr=False)
class EvaluationSummary(Presentable):
    """The scores of a submission.

    Attributes:
        source: the folder that was scored.
        scores: each task's score.
        created: when.
    """

    source: str
    scores: SubmissionScores
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        tasks, overall = len(self.scores.tasks), self.scores.overall
        return f"EvaluationSummary(source={self.source!r}, tasks={tasks}, overall={overall:.2f})"

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "match evaluate",
            "source": self.source,
            "overall": self.scores.overall,
            "tasks": [
                {
                    "task": task.task,
                    "measure": task.measure,
                    "estimate": task.estimate,
                    "invalid": task.n_invalid,
                    "figures": task.figures,
                }
                for task in self.scores.tasks
            ],
            "interval": self.scores.plan.interval,
            "seed": self.scores.plan.seed,
            "replicates": self.scores.plan.replicates,
            "signature": self.scores.signature,
            "created": self.created,
        }


_LETTER_LABEL = re.compile(r"[A-Za-z][.:] ")


def options_of(item: Mapping[str, Any]) -> list[str]:
    """List an item's options without the letters that some carry in their texts.

    Example:
        >>> options_of({"options": {"B": "lung", "A": "heart"}}), options_of({"options": ["A. heart"]})
        (['heart', 'lung'], ['heart'])
    """
    options = item.get("options", [])
    if isinstance(options, Mapping):
        options = [options[letter] for letter in sorted(options)]
    return [_LETTER_LABEL.sub("", str(option), count=1) if _is_labelled(option, at) else str(option)
            for at, option in enumerate(options)]  # fmt: skip


def option_f1(listed: Set[str], wanted: Set[str]) -> float:
    """Give the F1 of what was listed against what was wanted; NaN where nothing was wanted.

    Example:
        >>> option_f1({"a", "c"}, {"a"})  # precision 1/2, recall 1
        0.6666666666666666
    """
    return _f1(len(listed & wanted), len(listed), len(wanted))


def _is_labelled(option: object, at: int) -> bool:
    found = _LETTER_LABEL.match(str(option))
    return (
        found is not None
        and at < len(ascii_uppercase)
        and option_key(found[0])[0] == ascii_uppercase[at].lower()
    )


def _f1(hits: int, listed: int, wanted: int) -> float:
    """Give 2 * hits / (listed + wanted), NaN where nothing was wanted."""
    return 2 * hits / (listed + wanted) if wanted else np.nan


_VERDICT = re.compile(r"\W*(true|false)\b", re.IGNORECASE)


_LETTERED = re.compile(r"\(?([A-Za-z])\s*[:.)]\s*(.*)", re.DOTALL)


_LETTER_START = re.compile(r"(?<![\w])\(?[A-Za-z]\s*[:.)]\s+")


def true_or_false(reply: str) -> bool | None:
    """Read the verdict that a reply starts with; ``None`` where it starts with something else.

    Example:
        >>> true_or_false("False."), true_or_false("True, because ..."), true_or_false("It is true")
        (False, True, None)
    """
    found = _VERDICT.match(reply)
    return found[1].lower() == "true" if found else None


def option_key(text: str) -> str:
    """Normalise an option for comparison: without case, accents, punctuation and double spaces.

    Percent signs, commas and colons stay, as options differ by them.

    Example:
        >>> option_key(" Apo B-48 (chylomicron)")
        'apo b 48 chylomicron'
    """
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).casefold()
    spaced = re.sub(r"[\u2013\u2014_/\\\[\](){};-]", " ", bare)
    kept = (c for c in spaced if unicodedata.category(c)[0] in "LNM" or c.isspace() or c in "%,:")
    return " ".join("".join(kept).split())


def chosen_option(reply: str, options: Sequence[str]) -> str | None:
    """Find the one option that a reply chose, by its letter, its text, or both where they agree.

    Returns:
        The option's key, or ``None`` where the reply states no option, or a letter and a text that differ.

    Example:
        >>> [chosen_option(reply, ["3%", "30%"]) for reply in ("B", "30%.", "A: 3%", "A: 30%", "none")]
        ['30%', '30%', '3%', None, None]
    """
    return _option(reply.strip(), [option_key(option) for option in options])


def chosen_options(reply: str, options: Sequence[str]) -> tuple[set[str], set[str]]:
    """Find the options that a reply lists, between commas, semicolons or lines, or each after its letter.

    Only the first paragraph counts, as explanations follow after it.

    Returns:
        The keys of the options that were chosen, and what was listed and is no option.

    Example:
        >>> chosen_options("A, Apo E and more", ["Apo B", "Apo E"])
        ({'apo b'}, {'apo e and more'})
    """
    keys = [option_key(option) for option in options]
    chosen: set[str] = set()
    unknown: set[str] = set()
    for part in _parts(re.split(r"\n\s*\n", reply.strip())[0], keys):
        found = _option(part, keys)
        if found is None:
            unknown.add(option_key(part))
        else:
            chosen.add(found)
    return chosen, unknown


def _option(part: str, keys: Sequence[str]) -> str | None:
    """Read one option off a piece of a reply."""
    key = option_key(part)
    if key in keys:  # the text comes first: an option may itself look like a letter
        return key
    letters = dict(zip(ascii_uppercase, keys, strict=False))
    if key.upper() in letters:
        return letters[key.upper()]
    lettered = _LETTERED.fullmatch(part.strip())
    if lettered and option_key(lettered[2]) in keys:
        stated = option_key(lettered[2])
        return stated if letters.get(lettered[1].upper()) == stated else None
    return None


def _parts(reply: str, keys: Sequence[str]) -> list[str]:
    """Split a list, but keep options together that have a comma in them."""
    starts = [found.start() for found in _LETTER_START.finditer(reply)]
    if len(starts) > 1 and not reply[: starts[0]].strip():
        ends = [*starts[1:], len(reply)]
        return [reply[start:end].strip(" ,;\n") for start, end in zip(starts, ends, strict=True)]
    segments = [part.strip() for part in re.split(r"[,;\n]", reply) if part.strip(" .")]
    longest = max((key.count(",") + 1 for key in keys), default=1)
    parts: list[str] = []
    at = 0
    while at < len(segments):
        spans = range(min(longest, len(segments) - at), 0, -1)
        length = next((n for n in spans if _option(", ".join(segments[at : at + n]), keys)), 1)
        parts.append(", ".join(segments[at : at + length]))
        at += length
    return parts


_STEP = re.compile(r"\bstep\b\W*(?:number\W*)?(\d+)", re.IGNORECASE)


# With a colon it is a heading; without one the word may also stand inside a sentence.
_HEADINGS = (
    re.compile(r"explanation\W*?:\W*", re.IGNORECASE),
    re.compile(r"explanation\b\W*", re.IGNORECASE),
)


_HALF_FROM = 2


_FACTORS = (1.0, 0.7, 0.3)


def named_step(text: str) -> int | None:
    """Give the first step that a text names by its number.

    Example:
        >>> named_step("- **Step 3** contains the incorrect inference."), named_step("none of them")
        (3, None)
    """
    found = _STEP.search(text)
    return int(found[1]) if found else None


def explanation_in(text: str) -> str:
    """Give what follows the heading "Explanation:" or else that word; the whole text where there is neither.

    Example:
        >>> explanation_in("Step: 2. Explanation: it stains well")
        'it stains well'
    """
    found = next((found for heading in _HEADINGS if (found := heading.search(text))), None)
    return text[found.end() :].strip() if found else text.strip()


def expected_step(lines: str | Sequence[str]) -> tuple[int | None, str]:
    """Read the wrong step and its explanation off an item's ``incorrect_reasoning_step``.

    Example:
        >>> expected_step(["- Step 3 contains the error.", "- Explanation: no such link."])
        (3, 'no such link.')
    """
    listed = lines.splitlines() if isinstance(lines, str) else list(lines)
    explained = [line for heading in _HEADINGS for line in listed if heading.search(line)]
    steps = [step for step in map(named_step, listed) if step is not None]
    return (steps[0] if steps else None), explanation_in(explained[0] if explained else "\n".join(listed))


def step_factor(distance: int) -> float:
    """Give the factor for a named step that is off by n: 1, .7, .3, then half for every further step.

    Example:
        >>> [step_factor(distance) for distance in range(5)]
        [1.0, 0.7, 0.3, 0.15, 0.075]
    """
    if distance <= _HALF_FROM:
        return _FACTORS[distance]
    return float(_FACTORS[_HALF_FROM] / 2 ** (distance - _HALF_FROM))
