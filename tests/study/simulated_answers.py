"""People and a panel whose answers are drawn from known models."""

import numpy as np
import polars as pl

from semscale.drift.asking import PromptTemplate
from semscale.scales import load_scale
from semscale.signature import Signature
from semscale.study import StudyResult
from semscale.study.interviews import RunFacts
from semscale.study.panel import SyntheticPanel
from semscale.study.questionnaire import (
    Concept,
    ModelChoice,
    Questionnaire,
    StudyDesign,
    StudyQuestion,
)
from semscale.study.result import SCHEMA

CONCEPTS = ("oat", "nut", "fig", "rye", "fly")
APPEAL = np.array([0.6, 0.2, 0.0, -0.3, -0.9])


def points(latent, k=5):
    return np.clip(np.round(3 + latent), 1, k).astype(int)


def latents(n, rng, *, structure=0.8, group=0.8, skill=1.0, shift=0.0):
    """Positions (n, concepts, 2 questions) and groups; persons differ alike in both questions."""
    old = rng.random(n) < 0.5
    person = rng.standard_normal(n)
    noise = rng.standard_normal((n, len(CONCEPTS), 2))
    part = structure * person[:, None, None] + np.sqrt(1 - structure**2) * noise
    outcome = part + skill * APPEAL[:, None] + group * (old[:, None, None] - 0.5) + shift
    return outcome, np.where(old, "old", "young")


def people_table(n=120, seed=0, **how):
    latent, groups = latents(n, np.random.default_rng(seed), **how)
    rated = points(latent)
    return pl.DataFrame(
        {
            "who": [f"p{row}" for row in range(n) for _ in CONCEPTS],
            "shown": list(CONCEPTS) * n,
            "age": [str(group) for group in groups for _ in CONCEPTS],
            "w": [1.0 + row % 3 for row in range(n) for _ in CONCEPTS],
            "intent": rated[..., 0].ravel(),
            "liking": rated[..., 1].ravel(),
        }
    )


def panel_tables(n=80, seed=1, samples=1, method="dlr", **how):
    """Answers of a study with two questions, and the personas."""
    rng = np.random.default_rng(seed)
    latent, groups = latents(n, rng, **how)
    rows = []
    for sample in range(1, samples + 1):
        rated = points(latent + 0.3 * rng.standard_normal(latent.shape))
        for row in range(n):
            for concept, name in enumerate(CONCEPTS):
                for question, title in enumerate(("intent", "liking")):
                    value = int(rated[row, concept, question])
                    rows.append(
                        (
                            f"p{row}",
                            name,
                            title,
                            method,
                            sample,
                            "scored",
                            float(value),
                            np.eye(5)[value - 1].tolist(),
                        )
                    )
    names = ("persona", "concept", "question", "method", "sample", "status", "value", "pmf")
    answers = pl.DataFrame(rows, schema=names, orient="row")
    return answers, pl.DataFrame({"persona": [f"p{row}" for row in range(n)], "age": list(map(str, groups))})


def panel_result(*panels):
    """The result of a study with the answers of some panels, and the personas of the first one."""
    panels = panels or (panel_tables(),)
    answers = pl.concat([rows for rows, _ in panels]).with_columns(pl.lit("local").alias("asked_model"))
    missing = [pl.lit(None, dtype=kind).alias(name) for name, kind in SCHEMA.items() if name not in answers]
    answers = answers.with_columns(*missing).select(*SCHEMA).cast(SCHEMA)
    methods = tuple(answers["method"].unique(maintain_order=True))
    questions = answers["question"].unique(maintain_order=True)
    scale = load_scale("purchase-intent")
    design = StudyDesign(
        "bars",
        "bars.yaml",
        Questionnaire(
            tuple(Concept(name, name) for name in answers["concept"].unique(maintain_order=True)),
            tuple(StudyQuestion(name, f"{name}?", scale, methods) for name in questions),
            samples=answers["sample"].max(),
        ),
        SyntheticPanel.from_frame(panels[0][1], "personas.csv"),
        PromptTemplate("persona", "You are {age}."),
        (ModelChoice(name="local"),),
    )
    return StudyResult(design, answers, Signature.of("study"), RunFacts("local"))
