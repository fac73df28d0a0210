"""Answers of a study as they were kept, laid out for a comparison."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.messages import unknown_name
from semscale.store.reading import open_table
from semscale.study.comparing.sides import ComparedQuestion, ComparedSide
from semscale.study.files.results_folder import read_study
from semscale.study.measuring.answers import SCHEMA
from semscale.study.panel.synthetic_panel import SyntheticPanel
from semscale.study.result import ANSWERS, PANEL, RECORD, SUMMARY, StudyResult
from semscale.types import Floats

_BATCH = 50_000
_NEEDED = ("persona", "concept", "question", "method", "sample", "status", "value", "pmf")
_MODEL = "asked_model"
_ROUNDING = 1e-6


@dataclass(frozen=True)
class PanelAnswers:
    """All answers of a study, with what is known of its questions and personas.

    Attributes:
        answers: with at least the columns that a comparison needs; only those with a rating.
        n_without: answers without a rating, by method and model.
        personas: with attributes and weights; ``None`` where they were not kept.
        questions: in the order of the study.
        name: of the study.
        source: where the answers come from.
    """

    answers: pl.DataFrame
    n_without: Mapping[tuple[str, str | None], int]
    personas: SyntheticPanel | None
    questions: tuple[ComparedQuestion, ...]
    name: str
    source: str

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods with a rating, in the order of the study."""
        return tuple(self.answers["method"].unique(maintain_order=True))

    @property
    def measured(self) -> tuple[tuple[str, str | None], ...]:
        """Methods with a rating, each by every model with one; no model is named where there is one alone."""
        pairs = self.answers.select("method", _MODEL).unique(maintain_order=True).rows()
        several = self.answers[_MODEL].n_unique() > 1
        return tuple((str(method), str(model) if several else None) for method, model in pairs)

    @property
    def concepts(self) -> tuple[str, ...]:
        """Concepts with a rating, in the order of the study."""
        return tuple(self.answers["concept"].unique(maintain_order=True))

    @property
    def attributes(self) -> tuple[str, ...]:
        """Attributes of the personas."""
        return () if self.personas is None else tuple(self.personas.fields)

    def side(
        self,
        method: str,
        questions: tuple[ComparedQuestion, ...],
        concepts: tuple[str, ...],
        attributes: Iterable[str] = (),
        model: str | None = None,
    ) -> ComparedSide:
        """Lay the answers by a method out; those of one persona are averaged over samples.

        Args:
            method: that measured them.
            questions: that are compared.
            concepts: likewise.
            attributes: of personas, by which groups are made.
            model: that answered; needed where there are several.
        """
        own = self.answers.filter(method=method)
        if model is not None:
            own = own.filter(asked_model=model)
        names = tuple(map(str, own["persona"].unique(maintain_order=True)))
        masses, repeats = {}, {}
        for question in questions:
            rows = own.filter(pl.col("question") == question.name, pl.col("concept").is_in(concepts))
            masses[question.name], repeats[question.name] = _laid_out(rows, names, concepts, question)
        groups = {name: self._groups(names, name) for name in attributes}
        weights = self._weights(names)
        side = ComparedSide(names, masses, questions, weights, groups, repeats)
        return side if weights is None else side.rows(weights > 0)

    def _groups(self, names: tuple[str, ...], attribute: str) -> list[str | None]:
        if self.personas is None or attribute not in self.personas.fields:
            raise unknown_name("attribute of the personas", attribute, self.attributes)
        cells = dict(zip(self.personas.ids, self.personas.fields[attribute], strict=True))
        return [cells.get(name) for name in names]

    def _weights(self, names: tuple[str, ...]) -> Floats | None:
        if self.personas is None or self.personas.weights is None:
            return None
        given = dict(zip(self.personas.ids, self.personas.weights, strict=True))
        return np.array([given.get(name, 0.0) for name in names])


def read_panel_answers(source: StudyResult | str | Path) -> PanelAnswers:
    """Take the answers of a study: a result, the folder of one, or its table of answers.

    Args:
        source: what was kept. Beside a table of answers the summary and the personas are looked for.

    Raises:
        InputError: no such file, one that was edited after the run, columns that are missing, no rating, or a
            scale that cannot be known.
    """
    if isinstance(source, StudyResult):
        design = source.design
        asked = tuple(
            ComparedQuestion(each.name, each.text, each.scale.values, tuple(each.scale.labels))
            for each in design.questionnaire.questions
        )
        return _checked(source.answers, design.panel, asked, design.name, design.source)
    path = Path(source)
    if (path / RECORD).is_file():
        return read_panel_answers(read_study(path, allow_unfinished=True))
    file = path / ANSWERS if path.is_dir() else path
    if path.is_dir() and not file.is_file():
        raise InputError(f"answers: {path} has no {ANSWERS}: name the folder of a study's run, or its table")
    answers = _read(file)
    beside = file.parent
    personas = SyntheticPanel.of_frame(_read(beside / PANEL), PANEL) if (beside / PANEL).is_file() else None
    name, asked = _summary(beside / SUMMARY) if (beside / SUMMARY).is_file() else (file.stem, ())
    return _checked(answers, personas, asked, name, str(source))


def _read(path: Path) -> pl.DataFrame:
    return pl.concat([*open_table(path).batches(_BATCH)], how="diagonal_relaxed")


def _summary(path: Path) -> tuple[str, tuple[ComparedQuestion, ...]]:
    """Read the name and the questions of a study from its summary."""
    try:
        record = parse_json(path.read_text(encoding="utf-8"))
        asked = {
            each["question"]: ComparedQuestion(
                each["question"],
                each["text"],
                np.array([float(point["value"]) for point in each["points"]]),
                tuple(str(point["label"]) for point in each["points"]),
            )
            for each in record["questions"]
        }
        return str(record["name"]), tuple(asked.values())
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} is no summary of a study: {error!r}") from None


def _checked(
    answers: pl.DataFrame,
    personas: SyntheticPanel | None,
    asked: tuple[ComparedQuestion, ...],
    name: str,
    source: str,
) -> PanelAnswers:
    lacking = [column for column in _NEEDED if column not in answers.columns]
    if lacking:
        raise InputError(
            f"answers: {source} has no column {lacking[0]!r}, which a table of a study's answers has"
        )
    if _MODEL not in answers.columns:
        answers = answers.with_columns(pl.lit(None, dtype=pl.String).alias(_MODEL))
    several = answers[_MODEL].n_unique() > 1
    scored = answers.filter(status="scored").with_columns(
        pl.col(column).cast(SCHEMA[column]) for column in ("persona", "concept", "question", "method")
    )
    if not scored.height:
        raise InputError(f"answers: none of the {answers.height:,} answers in {source} has a rating")
    named = tuple(scored["question"].unique(maintain_order=True))
    known = {each.name: each for each in asked}
    questions = tuple(
        known.get(each) or _plain_question(scored.filter(question=each), each) for each in named
    )
    lacking_ratings = answers.filter(pl.col("status") != "scored").group_by("method", _MODEL).len()
    without = {(method, model if several else None): n for method, model, n in lacking_ratings.iter_rows()}
    return PanelAnswers(scored, without, personas, questions, name, source)


def _plain_question(rows: pl.DataFrame, name: str) -> ComparedQuestion:
    """Take points 1, 2, ... for the scale where no summary says more, if the answers' values agree."""
    masses = np.array(rows["pmf"].to_list(), dtype=np.float64)
    values = np.arange(1.0, masses.shape[1] + 1)
    if np.abs(masses @ values - rows["value"].to_numpy()).max() > _ROUNDING:
        raise InputError(
            f"answers: the points of question {name!r} are not 1 to {len(values)}, and no {SUMMARY} beside "
            "the table says what they are: name the study's folder"
        )
    return ComparedQuestion(name, name, values, tuple(f"{value:g}" for value in values))


def _laid_out(
    rows: pl.DataFrame, names: tuple[str, ...], concepts: tuple[str, ...], question: ComparedQuestion
) -> tuple[Floats, Floats]:
    """Mean masses (n, c, k) over samples, and values (n, c, samples) of the single ones."""
    shape = (len(names), len(concepts))
    place = {name: row for row, name in enumerate(names)}
    persona = np.array([place[name] for name in rows["persona"]], dtype=np.int64)
    concept = np.array([concepts.index(name) for name in rows["concept"]], dtype=np.int64)
    given = np.array(rows["pmf"].to_list(), dtype=np.float64).reshape(-1, len(question.values))
    sums, counts = np.zeros((*shape, len(question.values))), np.zeros(shape)
    np.add.at(sums, (persona, concept), given)
    np.add.at(counts, (persona, concept), 1)
    masses = np.where(counts[..., None] > 0, sums / np.maximum(counts, 1)[..., None], np.nan)
    sample = rows["sample"].rank("dense").to_numpy().astype(np.int64) - 1
    repeats = np.full((*shape, int(sample.max()) + 1 if len(sample) else 1), np.nan)
    repeats[persona, concept, sample] = given @ question.values
    return masses, repeats
