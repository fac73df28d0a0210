"""Summaries of any shape, built by hand from seeded random PMFs, and a parser that reads pages back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

from semscale.rating.human import RatingComparison
from semscale.rating.lint import DiscriminantCheck
from semscale.rating.summary import EXAMPLE_SCHEMA, RatingSummary
from semscale.results.estimates import Estimates
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.groups import GroupEstimate
from semscale.stats.intervals import Estimate

LABELS = ("Very bad", "Bad", "Neither good nor bad", "Good", "Very good")
SETS = ("plain", "casual", "brief", "warm", "formal", "verdict")
TEXTS = (
    "Arrived on time and works as it should.",
    "I would not buy it again, the battery gave up after a week.",
    "ok",
    "Best purchase of the year! \U0001f600\U0001f44d",
    "المنتج ممتاز وأنصح به الجميع",
    "Sound is fine but the cable is too short, and the instructions were no help at all. " * 5,
    "<script>alert('no')</script>",
    'She said "never again" & left',
)
LEFT_OUT = {"empty": (), "off-topic": ((9, "The weather is nice today."),)}


NOT_RATED = {"empty": 4, "off-topic": 3}


def scale_of(
    n_points: int, *, lowest: int = 1, label: str | None = None, polarity: str = "ascending-good"
) -> Scale:
    labels = (
        LABELS if n_points == 5 and label is None else [f"{label or 'Step'} {i}" for i in range(n_points)]
    )
    return Scale(
        name="quality",
        title="Quality",
        question="How good is it?",
        polarity=polarity,
        points=tuple({"value": lowest + i, "label": labels[i]} for i in range(n_points)),
        anchor_sets={name: tuple(f"{name} {i}" for i in range(n_points)) for name in SETS},
        provenance="made for a test",
    )


def around(value: float, half: float = 0.02) -> Estimate:
    return Estimate(float(value), float(value) - half, float(value) + half)


def without_interval(value: float) -> Estimate:
    return Estimate(float(value), float("nan"), float("nan"))


def group_of(
    pmf: np.ndarray,
    values: np.ndarray,
    *,
    name: str | None = None,
    n: int = 50,
    left_out: dict[str, int] | None = None,
) -> GroupEstimate:
    wrap = around if n > 1 else without_interval
    top, bottom = pmf[-2:].sum(), pmf[:2].sum()
    figures = {"mean": pmf @ values}
    if len(pmf) >= 4:
        figures |= {"top_2_box": top, "bottom_2_box": bottom, "net": top - bottom}
    if values[0] == 0 and values[-1] == 10 and len(pmf) == 11:
        figures["nps"] = top - pmf[:7].sum()
    figures |= {f"p_{value:g}": share for value, share in zip(values, pmf, strict=True)}
    return GroupEstimate(
        group=name,
        n=n,
        left_out=left_out or {"empty": 2},
        effective_n=float(n),
        figures={name: wrap(figure) for name, figure in figures.items()},
        n_clusters=n,
        method="bootstrap" if n > 1 else None,
    )


def unscored(name: str | None = None) -> GroupEstimate:
    return GroupEstimate(name, 0, NOT_RATED, 0.0, {})


def rows_of(pmf: np.ndarray, values: np.ndarray, texts: Sequence[str]) -> pl.DataFrame:
    means = pmf @ values
    entropy = -(pmf * np.log(np.maximum(pmf, 1e-300))).sum(axis=1)
    return pl.DataFrame(
        {
            "row": np.arange(len(pmf)),
            "text": [texts[i % len(texts)] for i in range(len(pmf))],
            "status": ["scored"] * len(pmf),
            "mean": means,
            "mode": values[pmf.argmax(axis=1)] if len(pmf) else means,
            "entropy": entropy,
            "similarity": np.full(len(pmf), 0.4),
            "pmf": pmf.tolist(),
        },
        schema=EXAMPLE_SCHEMA,
    )


def comparison_of(
    values: np.ndarray, *, n: int = 3700, points: int = 2000, raters: bool = True
) -> RatingComparison:
    rng = np.random.default_rng(3)
    human = rng.uniform(values[0], values[-1], points)
    machine = np.clip(
        values.mean() + 0.45 * (human - values.mean()) + rng.normal(0, 0.4, points), values[0], values[-1]
    )
    k = len(values)
    return RatingComparison(
        n=n,
        n_eligible=n,
        pearson=around(0.583, 0.021),
        spearman=around(0.601, 0.022),
        ks_similarity=around(0.812, 0.011),
        human_pmf=rng.dirichlet(np.ones(k)),
        machine_pmf=rng.dirichlet(np.full(k, 8.0)),
        ceiling=around(0.979, 0.002) if raters else None,
        null_length=around(-0.084, 0.03) if raters else None,
        null_ks=around(0.843, 0.012),
        points=np.column_stack([human, machine]),
        interval=0.95,
        signature=Signature.of("rate", texts=n),
    )


def pmfs_of(n: int, k: int, rng: np.random.Generator) -> np.ndarray:
    """PMFs that lean on levels all over the scale."""
    levels = rng.uniform(0, k - 1, (n, 1))
    pmf = np.exp(-(np.abs(np.arange(k) - levels) ** 1.3)) + 0.15
    return pmf / pmf.sum(axis=1, keepdims=True)


def agreement_of(sets: int, rng: np.random.Generator) -> np.ndarray:
    agreement = np.clip(0.62 + 0.12 * rng.standard_normal((sets, sets)), -1, 1)
    agreement = (agreement + agreement.T) / 2
    np.fill_diagonal(agreement, 1.0)
    return agreement


def estimates_of(
    pmf: np.ndarray, groups: int, *, values: np.ndarray, signature: Signature, rng: np.random.Generator
) -> Estimates:
    average = pmf.mean(axis=0) if len(pmf) else None
    return Estimates(
        overall=unscored() if average is None else group_of(average, values, n=len(pmf), left_out=NOT_RATED),
        groups=tuple(
            group_of(rng.dirichlet(average * 60), values, name=f"Region {i + 1}", n=400 - i)
            for i in range(groups)
        ),
        interval=0.95,
        method="bootstrap",
        seed=0,
        replicates=2000,
        clustered=False,
        by="region" if groups else None,
        signature=signature,
    )


def summary_of(
    *,
    scale: Scale | None = None,
    n: int = 300,
    groups: int = 0,
    texts: Sequence[str] = TEXTS,
    comparison: bool = False,
    sets: int = 6,
) -> RatingSummary:
    scale = scale or scale_of(5)
    rng = np.random.default_rng(7)
    pmf = pmfs_of(n, scale.n_points, rng)
    sample = rows_of(pmf[:400], scale.values, texts)
    agreement = agreement_of(sets, rng)
    named = f"{scale.name}#{scale.content_hash}"
    signature = Signature.of("rate", scale=named, sets=sets, temperature=1.0, seed=0)
    return RatingSummary(
        discriminant=DiscriminantCheck(300, 0.42, -0.05),
        scale=scale,
        signature=signature,
        estimates=estimates_of(pmf, groups, values=scale.values, signature=signature, rng=rng),
        counts={"scored": n, **NOT_RATED},
        n_windowed=2,
        n_distinct=n,
        sample=sample,
        most_certain=sample.sort("entropy").head(6),
        least_certain=sample.sort("entropy").tail(6).reverse(),
        left_out=LEFT_OUT,
        set_agreement=agreement if n > 1 else np.full((sets, sets), np.nan),
        set_names=SETS[:sets],
        floor=0.123,
        comparison=comparison_of(scale.values) if comparison else None,
        created=datetime(2026, 11, 21, 9, 30, tzinfo=UTC),
        **{"source": "reviews.csv", "by": "region" if groups else None, "weight": None, "respondent": None},
    )


@pytest.fixture(scope="session")
def make_summary() -> Callable[..., RatingSummary]:
    return summary_of


@pytest.fixture(scope="session")
def make_scale() -> Callable[..., Scale]:
    return scale_of


CITATION = "https://arxiv.org/abs/2510.08338"
FORBIDDEN_TAGS = {"script", "iframe", "object", "embed", "form", "link", "base", "image", "use", "img"}
VOID = {"meta", "br", "hr", "img", "input", "link"}


@dataclass
class Page(HTMLParser):
    """What an HTML document holds, as a browser would see it."""

    source: str
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    text: str = ""
    unbalanced: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[str] = []
        self.feed(self.source)
        self.close()
        self.unbalanced += self._open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if self._open and self._open[-1] == tag:
            self._open.pop()
        else:
            self.unbalanced.append(f"/{tag}")

    def handle_data(self, data):
        if not self._open or self._open[-1] != "style":
            self.text += data

    def assert_harmless(self) -> None:
        """One well-formed document that fetches nothing and runs nothing."""
        assert self.unbalanced == []
        assert not {tag for tag, _ in self.tags} & FORBIDDEN_TAGS
        for tag, attributes in self.tags:
            assert not any(name.startswith("on") for name in attributes), (tag, attributes)
            assert "src" not in attributes
        assert "url(" not in self.source
        assert "@import" not in self.source
        ids = [attributes["id"] for _, attributes in self.tags if "id" in attributes]
        assert len(ids) == len(set(ids))
        links = {attributes["href"] for _, attributes in self.tags if "href" in attributes}
        assert links <= {CITATION, *(f"#{name}" for name in ids)}

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="session")
def read_page() -> type[Page]:
    return Page
