"""Tables of a small survey, whose figures are easy to see."""

import polars as pl
import pytest

from semscale.tabulation.crosstabs import crosstabs

FORMULA = "=1+1"


@pytest.fixture(scope="session")
def survey():
    """80 people: 40 in the south answer 5, others 1 or 2; half of all were asked in each wave."""
    people = range(80)
    return pl.DataFrame({
        "like": [5 if n % 2 else 1 + n % 4 // 2 for n in people],
        "drink_tea": ["yes" if n % 3 else "no" for n in people],
        "drink_coffee": ["no" if n % 3 else "yes" for n in people],
        "region": ["south" if n % 2 else "north" for n in people],
        "town": ["a" if n < 75 else FORMULA for n in people],
        "wave": ["2024" if n < 40 else "2025" for n in people],
        "w": [0.5 if n % 4 < 2 else 1.5 for n in people],
    })  # fmt: skip


@pytest.fixture(scope="session")
def tables(survey):
    return crosstabs(
        survey, questions=["like", "drink_*"], banners=["region", "town"], weight="w", min_base=10
    )


@pytest.fixture(scope="session")
def waves(survey):
    return crosstabs(survey, questions=["like"], banners=["region"], wave="wave", min_base=10)
