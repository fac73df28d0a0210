"""People and a panel whose answers are drawn from known models."""

import numpy as np
import polars as pl

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


def panel_tables(n=80, seed=1, samples=1, method="dlr", k=5, **how):
    """Answers of a study with two questions, and the personas."""
    rng = np.random.default_rng(seed)
    latent, groups = latents(n, rng, **how)
    rows = []
    for sample in range(1, samples + 1):
        rated = points(latent + 0.3 * rng.standard_normal(latent.shape), k)
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
                            np.eye(k)[value - 1].tolist(),
                        )
                    )
    names = ("persona", "concept", "question", "method", "sample", "status", "value", "pmf")
    answers = pl.DataFrame(rows, schema=names, orient="row")
    return answers, pl.DataFrame({"persona": [f"p{row}" for row in range(n)], "age": list(map(str, groups))})
