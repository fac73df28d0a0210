"""The interface of the ClinIQLink evaluator, computed by Semscale.

``ClinIQLinkSampleDatasetEvaluate`` has the evaluator's arguments and methods. Open answers are scored by the
method ``cliniqlink-code``, with word weights and the baseline estimated from the right answers of all task
files; unlike the evaluator's, the draw of the baseline has a seed. An empty reply scores 0, as in the
evaluator.

Examples:
    >>> evaluator = ClinIQLinkSampleDatasetEvaluate()
    >>> evaluator.evaluate_true_false("True", "true."), evaluator.evaluate_list(["a", "b"], "A", ["a", "b"])
    (1.0, 0.6666666666666666)
"""

import json
import math
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from semscale.errors import InputError
from semscale.matching.cliniqlink import (
    TaskScore,
    evaluate_submission,
    find_chosen_option,
    find_chosen_options,
    load_submission,
    option_f1,
    option_key,
    right_answers,
)
from semscale.matching.matcher import Matcher, match_with
from semscale.report.row_charts import bin_counts, bin_edges
from semscale.store.atomic import replacing
from semscale.types import Floats

__all__ = ["ClinIQLinkSampleDatasetEvaluate"]

_METHOD = "cliniqlink-code"
_ALL = "overall_evaluation_results.json"
_FINAL_MARKS = " .,;:!?"


class ClinIQLinkSampleDatasetEvaluate:
    """Scorer of answers like the ClinIQLink evaluator.

    Args:
        run_mode: ``container`` or ``local``, as in the evaluator; both mean the same here.
        results_dir: folder of the task files, which are read when they are first needed.
        bin_width: width of the bins of the histograms of scores, greater than 0, at most 1.
        output_dir: output folder of ``run_all_evaluations``, created if it does not exist.

    Raises:
        InputError: a setting is out of range.
    """

    def __init__(
        self,
        run_mode: str = "container",
        results_dir: str | Path = "submission_output",
        bin_width: float = 0.05,
        output_dir: str | Path = "evaluation_output",
    ) -> None:
        if run_mode not in ("container", "local"):
            raise InputError("run_mode", f"must be container or local, got {run_mode!r}")
        if not 0 < bin_width <= 1:
            raise InputError("bin_width", f"must be greater than 0 and at most 1, got {bin_width!r}")
        self.run_mode = run_mode
        self.results_dir = Path(results_dir)
        self.bin_width = bin_width
        self.output_dir = Path(output_dir)

    def evaluate_true_false(self, expected: str, prediction: str) -> float:
        """Return 1 if both are equal, ignoring case and marks at the end, else 0."""
        return float(_bare(expected) == _bare(prediction))

    def evaluate_multiple_choice(self, expected: str, prediction: str) -> float:
        """Return 1 if both are equal, ignoring case and marks at the end, else 0."""
        return float(_bare(expected) == _bare(prediction))

    def evaluate_list(
        self, expected: Sequence[str], prediction: str | Sequence[str], options: Sequence[str] | None = None
    ) -> float:
        """Return the F1 of the options that a reply lists, by letters or texts; 0 if none is expected.

        Args:
            expected: texts or letters of the right options.
            prediction: the reply, such as ``"A, C"``, or a list.
            options: all options in the order of their letters; without them, texts are compared.
        """
        reply = prediction if isinstance(prediction, str) else ", ".join(map(str, prediction))
        offered = list(options or ())
        chosen, unknown = find_chosen_options(reply, offered)
        wanted = {find_chosen_option(str(answer), offered) or option_key(str(answer)) for answer in expected}
        return _number(option_f1(chosen | unknown, wanted))

    def evaluate_open_ended(self, expected: str | Sequence[str], prediction: str | Sequence[str]) -> float:
        """Return the semantic match score of a reply, 0 to 1; lists are joined."""
        return self._match(expected, prediction)["score"]

    def compute_word_level_similarity(self, expected_text: str, prediction_text: str) -> float:
        """Return the F1 of aligned word pieces."""
        return self._match(expected_text, prediction_text)["word"]

    def compute_sentence_level_similarity(self, expected_text: str, prediction_text: str) -> float:
        """Return the cosine of both texts without stop words."""
        return self._match(expected_text, prediction_text)["sentence"]

    def compute_paragraph_level_similarity(self, expected_text: str, prediction_text: str) -> float:
        """Return the cosine of both texts without stop words, rescaled by the baseline, 0 to 1."""
        return self._match(expected_text, prediction_text)["paragraph"]

    def run_all_evaluations(self) -> dict[str, Any]:
        """Score all task files, and also write the result into ``output_dir``.

        Returns:
            For each task its ``average``, interval, number of items and histogram; and ``overall``, the mean
            of the tasks, with the signature.

        Raises:
            InputError: ``results_dir`` has no task file, or one cannot be read.
        """
        scores = evaluate_submission(self.results_dir, method=_METHOD)
        items = {
            str(task): frame["score"].drop_nulls().to_numpy()
            for (task,), frame in scores.items.partition_by("task", as_dict=True).items()
        }
        results: dict[str, Any] = {task.task: self._task(task, items[task.task]) for task in scores.tasks}
        results["overall"] = {"average": _or_null(scores.overall), "signature": str(scores.signature)}
        self.output_dir.mkdir(parents=True, exist_ok=True)
        with replacing(self.output_dir / _ALL) as temporary:
            text = json.dumps(results, ensure_ascii=False, indent=2, allow_nan=False)
            temporary.write_text(text + "\n", encoding="utf-8")
        return results

    @cached_property
    def _matcher(self) -> Matcher:
        tasks = load_submission(self.results_dir).values() if self.results_dir.is_dir() else ()
        corpus = [answer for task in tasks for answer in right_answers(task)]
        return Matcher(_METHOD, corpus=corpus or None)

    def _match(self, expected: str | Sequence[str], prediction: str | Sequence[str]) -> dict[str, float]:
        method = self._matcher.pair_method
        matches = match_with(method, [_join_parts(prediction)], [_join_parts(expected)], keep_unread=True)
        parts = {"score": matches.score, **matches.components}
        return {name: _number(float(values[0])) for name, values in parts.items()}

    def _task(self, task: TaskScore, score: Floats) -> dict[str, Any]:
        edges = bin_edges(score, (0.0, 1.0), bins=max(round(1 / self.bin_width), 1))
        return {
            "average": _or_null(task.estimate.value),
            "interval": [_or_null(task.estimate.low), _or_null(task.estimate.high)],
            "measure": task.measure,
            "items": task.estimate.n,
            "left_out": task.estimate.n_left_out,
            "invalid": task.n_invalid,
            **{name: _or_null(value) for name, value in task.figures.items()},
            "histogram": {"edges": edges.round(9).tolist(), "counts": bin_counts(score, edges).tolist()},
        }


def _bare(text: object) -> str:
    return str(text).strip().lower().rstrip(_FINAL_MARKS)


def _join_parts(text: str | Sequence[str] | None) -> str:
    """Join the parts of an answer; ``None`` (null in JSON) becomes ""."""
    if text is None:
        return ""
    return text if isinstance(text, str) else " ".join(map(str, text))


def _number(value: float) -> float:
    """Return 0 for a missing score, as users of the evaluator expect."""
    return 0.0 if math.isnan(value) else float(value)


def _or_null(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
