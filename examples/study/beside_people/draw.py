"""Draws the made-up run of a panel, and the made-up people, that stand beside this file.

Nobody was asked, and no model either: all answers are drawn at random with a seed. Every person has an
inclination of their own, bars differ in appeal, and people under 40 like all bars a little more. The panel
has personas of its own. By "ssr" it knows bars and ages, a little weakened; by "dlr" almost all bars get a 4.
The folder is what ``study run`` leaves behind, but for the summary and for words, as there were none.
"""

from contextlib import chdir
from pathlib import Path

import numpy as np
import polars as pl

from semscale.study.interviews import RunFacts
from semscale.study.questionnaire import parse_study
from semscale.study.result import PANEL, SUMMARY, StudyAnswer, StudyResult, answer_frame
from semscale.types import Status

APPEAL = {
    "oat bar": 0.9,
    "nut bar": 0.5,
    "fig bar": 0.2,
    "rye bar": -0.2,
    "rice bar": -0.5,
    "cricket bar": -1.2,
}
QUESTIONS = ("intent", "liking")
HERE = Path(__file__).parent
FILE = (
    """# Of a made-up run: draw.py drew the answers, and no model gave any.
name: Six snack bars, made up
model: nobody
panel: {file: panel.parquet, id: persona}
persona: You are {age}.
concepts:
"""
    + "".join(f"  - {{name: {name}, text: A {name}.}}\n" for name in APPEAL)
    + """questions:
  - {name: intent, scale: purchase-intent, methods: [ssr, dlr]}
  - {name: liking, scale: quality, methods: [ssr, dlr]}
groups: [age]
"""
)


def latent(rng: np.random.Generator, n: int, knowledge: float) -> tuple[np.ndarray, np.ndarray]:
    """Positions (n, bars, questions) around 0, and whether a person is under 40."""
    young = rng.integers(0, 2, n) == 1
    person = 0.7 * rng.standard_normal((n, 1, 1)) + 0.5 * knowledge * (young[:, None, None] - 0.5)
    bars = knowledge * np.array([*APPEAL.values()])[None, :, None]
    return person + bars + 0.8 * rng.standard_normal((n, len(APPEAL), len(QUESTIONS))), young


def picked(position: np.ndarray) -> np.ndarray:
    """Points 1 to 5."""
    return np.clip(np.round(3 + position), 1, 5).astype(int)


def people(rng: np.random.Generator, n: int = 150) -> pl.DataFrame:
    """A row for each person and bar."""
    position, young = latent(rng, n, 1.0)
    rated = picked(position)
    return pl.DataFrame(
        {
            "person": np.repeat([f"person {row + 1}" for row in range(n)], len(APPEAL)),
            "age": np.repeat(np.where(young, "under 40", "40 and over"), len(APPEAL)),
            "weight": np.repeat(np.where(young, 1.2, 0.8), len(APPEAL)),
            "concept": [*APPEAL] * n,
            **{name: rated[..., place].ravel() for place, name in enumerate(QUESTIONS)},
        }
    )


def panel(rng: np.random.Generator, n: int = 60) -> tuple[list[StudyAnswer], pl.DataFrame]:
    """Answers by two methods, and the personas."""
    position, young = latent(rng, n, 0.8)
    spread = np.exp(-((position[..., None] + 3 - np.arange(1, 6)) ** 2))
    masses = {
        "ssr": spread / spread.sum(axis=-1, keepdims=True),
        "dlr": np.eye(5)[picked(1 + 0.4 * rng.standard_normal(position.shape)) - 1],
    }
    rows = [
        StudyAnswer(
            f"persona {row + 1}",
            concept,
            question,
            method,
            sample=1,
            asked_model="nobody",
            concept_position=None,
            question_position=None,
            status=Status.SCORED,
            value=float(pmf[row, bar, asked] @ np.arange(1, 6)),
            pmf=pmf[row, bar, asked].tolist(),
        )
        for row in range(n)
        for bar, concept in enumerate(APPEAL)
        for asked, question in enumerate(QUESTIONS)
        for method, pmf in masses.items()
    ]
    personas = {
        "persona": [f"persona {row + 1}" for row in range(n)],
        "age": np.where(young, "under 40", "40 and over"),
    }
    return rows, pl.DataFrame(personas)


if __name__ == "__main__":
    rng = np.random.default_rng(16)
    people(rng).write_csv(HERE / "people.csv")
    answers, personas = panel(rng)
    personas.write_parquet(HERE / PANEL)
    with chdir(HERE):  # the record names its panel as seen from here, on every machine alike
        design = parse_study(FILE.encode(), source="study.yaml", folder=Path())
    StudyResult(design, answer_frame(answers), design.signature, RunFacts("nobody")).save(HERE)
    (HERE / SUMMARY).unlink()  # as large as all else, and made again from the answers
