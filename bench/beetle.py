"""The Beetle answers of SemEval-2013 task 7: student answers, several references, three grades."""

import csv
import json
from dataclasses import dataclass

import numpy as np

from shared_data import shared_data


@dataclass(frozen=True)
class Answers:
    """Graded answers; every attribute has one entry per answer."""

    question: np.ndarray
    asked: list
    answer: list
    references: list
    grade: np.ndarray

    @property
    def correct(self):
        """Mask of correct answers."""
        return self.grade == "correct"

    @property
    def decided(self):
        """Mask of answers that are correct or contradictory."""
        return self.grade != "incorrect"


def read_answers(name, most=None):
    """Read ``training``, ``test-unseen-answers`` or ``test-unseen-questions``, or a random part of it."""
    with shared_data("beetle", f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if most is not None:
        rows = [rows[place] for place in np.random.default_rng(0).permutation(len(rows))[:most]]
    return Answers(
        question=np.array([row["question_id"] for row in rows]),
        asked=[row["question"] for row in rows],
        answer=[row["answer"] for row in rows],
        references=[list(dict.fromkeys(json.loads(row["reference_answers"]))) for row in rows],
        grade=np.array([row["accuracy"] for row in rows]),
    )


def auc(positive, score):
    """Return the chance that a positive item scores above a negative one; ties count half."""
    scored = ~np.isnan(score)
    positive, score = positive[scored], score[scored]
    order = np.argsort(score, kind="stable")
    _, start, count = np.unique(score[order], return_index=True, return_counts=True)
    ranks = np.empty(len(score))
    ranks[order] = np.repeat(start + (count + 1) / 2, count)
    n = positive.sum()
    return (
        (ranks[positive].sum() - n * (n + 1) / 2) / (n * (len(score) - n)) if 0 < n < len(score) else np.nan
    )
