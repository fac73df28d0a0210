"""Scores of measured answers from 0 to 1, and the levels of the judge that gave them."""

import re
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from semscale.store.columns import floats_in
from semscale.store.writing import PREFIX
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.judging.templates import Template

Kind = Literal["judge", "match", "consistency", "log"]
"""What measured the answers of a file; of a log, the tool that wrote it."""

KINDS: dict[Kind, str] = {
    "judge": "scored by a language model (judge)",
    "match": "matched with references",
    "consistency": "compared with samples",
    "log": "log of an evaluation",
}
"""The kinds of files in words."""

_MASSES, _CRITERION = f"{PREFIX}p_", f"{PREFIX}criterion_"
_GRADES = {"correct": 1.0, "c": 1.0, "true": 1.0, "partial": 0.5, "p": 0.5}
_GRADES |= {"incorrect": 0.0, "i": 0.0, "n": 0.0, "false": 0.0}


def score_columns(frame: pl.DataFrame, kind: Kind) -> dict[str, str]:
    """Return the columns with scores from 0 to 1, with their names in words; the main one first."""
    from semscale.answer_consistency.measures import MEASURES

    names = frame.columns
    if kind == "judge":
        named = {f"{PREFIX}expected": "expected score", f"{PREFIX}mean": "mean of the judges"}
        for name in names:
            if name.startswith(_CRITERION) and not name.endswith(("_score", "_status")):
                named[name] = name.removeprefix(_CRITERION)
    elif kind == "match":
        named = {f"{PREFIX}score": "match"}
    elif kind == "consistency":
        named = {f"{PREFIX}{name}": measure.label for name, measure in MEASURES.items()}
        named = {name: named[name] for name in names if name in named}
    else:
        named = {name: name.removeprefix("score_") for name in names if name.startswith("score")}
        named |= {name: name for name in ("success", "correct")}
    present = {name: title for name, title in named.items() if name in names}
    return {name: title for name, title in present.items() if unit_scores(frame[name]) is not None}


def unit_scores(cells: pl.Series) -> Floats | None:
    """Return scores from 0 to 1, shape (n,), NaN where missing; ``None`` if cells are something else.

    Examples:
        >>> unit_scores(pl.Series(["correct", "incorrect", None])).tolist()
        [1.0, 0.0, nan]
        >>> unit_scores(pl.Series([3, 8])) is None
        True
    """
    if cells.dtype == pl.String:
        words = cells.str.strip_chars().str.to_lowercase()
        numbers = words.cast(pl.Float64, strict=False).to_list()
        found = [_GRADES.get(word or "", number) for word, number in zip(words, numbers, strict=True)]
        cells = pl.Series(found, dtype=pl.Float64)
    if not (cells.dtype.is_numeric() or cells.dtype == pl.Boolean):
        return None
    values = floats_of(cells)
    known = values[~np.isnan(values)]
    return values if len(known) and known.min() >= 0 and known.max() <= 1 else None


def floats_of(cells: pl.Series) -> Floats:
    """Return numbers, NaN where a cell has none."""
    return floats_in(cells.cast(pl.Float64, strict=False))


def template_of(frame: pl.DataFrame) -> "Template":
    """Return the levels of the judge that scored a table, by the columns that it wrote."""
    from semscale.judging.settings import TEMPLATES
    from semscale.judging.stored_scores import fits
    from semscale.judging.templates import even_template, load_template

    masses = [name.removeprefix(_MASSES) for name in frame.columns if name.startswith(_MASSES)]
    known = [load_template(name) for name in TEMPLATES]
    if masses:
        fitting = (template for template in known if fits(template, frame.columns))
        return next(fitting, None) or even_template("levels", "", [(level, "") for level in masses])
    scores = [name for name in frame.columns if re.fullmatch(rf"{PREFIX}(judge_\d+_)?score", name)]
    stated = {value for name in scores for value in floats_of(frame[name].drop_nulls()).tolist()}
    fitting = (template for template in known if stated <= set(template.scores.tolist()))
    return min(fitting, key=lambda template: len(template.scores), default=load_template("continuous"))
