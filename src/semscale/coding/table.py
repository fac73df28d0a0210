"""Coding of tables of any size: checks of columns, parts, the summary, and comparison with another run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import polars as pl

from semscale.coding.chat_codes import ChatCodes, ask_about_cells
from semscale.coding.code_shares import (
    CodedSample,
    CodeShare,
    Drivers,
    GroupTest,
    HandLabels,
    code_alphas,
    code_shares,
    corrects_shares,
    find_drivers,
    group_tests,
)
from semscale.coding.codebook import ANSWER_COLUMNS, COLUMN_ENDINGS, Codebook
from semscale.coding.coder import Coder, CodeScores
from semscale.coding.coding import Coding, FittedCodes, fit_codes, settings_per_code
from semscale.coding.label_advice import LabelAdvice, advise, learning_gain
from semscale.coding.labels import HandCodes, hand_codes, majority, mean_codes
from semscale.coding.sentiment import SentimentRater, sentiment_rater
from semscale.coding.settings import CodeSettings, CodingColumns
from semscale.coding.summary import ChangeCounts, CodeTallies, CodingAgreement, CodingSummary
from semscale.embedding.cache import KEPT_EMBEDDINGS
from semscale.errors import InputError, RowError
from semscale.rating.rater import Rater
from semscale.results.facts import ResultFacts
from semscale.results.instrument import TableInstrument
from semscale.results.table_columns import Cells
from semscale.results.weights import NOBODY, respondent_numbers
from semscale.stats.agreement import AgreementEstimate
from semscale.stats.intervals import IntervalPlan
from semscale.stats.sampling import (
    SAMPLED_ROWS,
    Column,
    LabelledSample,
    SampleDesign,
    SampledRows,
    validate_inclusion,
)
from semscale.store.columns import column_in, floats_in
from semscale.store.missing_codes import code_key, missing_keys, unseen_codes
from semscale.store.table import Table, pick_rows
from semscale.store.writing import PREFIX
from semscale.survey.value_order import order_groups
from semscale.text_preparation import TextPreparation
from semscale.types import Floats, Integers, Mask, Progress, Status

_BATCH = 50_000
_STATUSES = tuple(Status)


class CodingTable(TableInstrument[CodeScores, CodingSummary]):
    """Coding of a table, part by part, for ``measure_table``.

    Hand-coded answers are scored first, so that each part can be coded immediately. A chat model is asked
    about all answers before the first part, as its probability for one answer affects the codes of others. It
    is asked only after the check that the output belongs to this run, so that a refused run costs nothing.

    Args:
        columns: names of the columns.
        codebook: k codes.
        load: function that loads the coder; called when all cells are checked.
        settings: thresholds and the smallest base of a test.
        ask: function that asks a chat model about texts; ``None`` without a model.
        asked: settings of the chat model that affect the codes, by name.
        scale: scale for rating the answers, for drivers; instead of a column.
        other: another run on the same answers.
        quotes: codes and answers for which ``quoted_units`` is filled.
        plan: how intervals are made, and the seed of all draws.
        most: maximum number of rows in the summary's sample. Hand-coded rows are stored in addition.
        progress: called while texts are embedded and rated.
    """

    stage = "coding"
    result = CodeScores

    def __init__(  # noqa: PLR0913 - what is coded; the rest are settings
        self,
        columns: CodingColumns,
        codebook: Codebook,
        load: Callable[[], Coder],
        *,
        settings: CodeSettings | None = None,
        ask: Callable[[Sequence[str]], ChatCodes] | None = None,
        asked: Mapping[str, str] | None = None,
        scale: str | None = None,
        other: "OtherRun | None" = None,
        quotes: Sequence[tuple[str, str]] = (),
        plan: IntervalPlan | None = None,
        most: int = SAMPLED_ROWS,
        progress: Progress | None = None,
    ) -> None:
        self.columns: CodingColumns = columns.with_preparation(settings or CodeSettings())
        self.codebook = codebook
        self._load, self._ask, self._asked_settings = load, ask, asked or {}
        self._settings, self._plan = settings or CodeSettings(), plan or IntervalPlan()
        self._scale, self._other, self._progress = scale, other, progress
        self.quoted_units: dict[tuple[str, str], str | None] = {}
        self._quotes = [(code, text) for code, text in quotes if code in codebook.names]
        self._checks = _CellChecks(self.columns, codebook)
        self._sample = LabelledSample(most, self._plan.seed)
        self._strata: dict[str, int] = {}
        self._changes = ChangeCounts(codebook.names)
        self._missing, self._seen_codes = missing_keys(self._settings.missing), set[str]()

    @property
    def stored(self) -> str:
        """Clause on stored embeddings or replies of the chat model."""
        return KEPT_EMBEDDINGS if self._ask is None else "received replies stay in the ledger"

    def key(self) -> dict[str, str]:
        """Return the settings that affect the codes, which excludes groups, ratings and weights."""
        signed = self._settings.signature_fields()
        applied = {
            name: f"{value:.12g}" if isinstance(value, float) else str(value)
            for name, value in signed.items()
        }
        seed = {"seed": str(self._plan.seed)} if self.columns.labels else {}
        rated = {} if self._sentiment is None else self._sentiment.settings
        return {**dict(self._coder.signature.fields), **applied, **rated, **seed, **self._asked_settings}

    def is_written(self, column: str) -> bool:
        """Return whether the codes have a column of that name."""
        start = self.title(PREFIX)
        return column.startswith(start) and column.removeprefix(start) in self._plain_names

    def name_beside(self, columns: Sequence[str]) -> str:
        """Return the text's column if the table has codes of a text that they do not name."""
        has_codes = {f"{PREFIX}outcome", f"{PREFIX}reason"} <= set(columns)
        return self.columns.text if has_codes else ""

    @cached_property
    def _plain_names(self) -> frozenset[str]:
        values = (f"{code}{kind}" for code in self.codebook.names for kind in ("", *COLUMN_ENDINGS))
        return frozenset((*ANSWER_COLUMNS, *values))

    def inspect(self, cells: Cells) -> None:
        """Check rows, and store hand-coded answers."""
        self._checks.inspect(cells)

    def start(self, table: Table) -> None:
        """Refuse columns that cannot be used, and load the coder."""
        self._checks.finish(table)
        self._table = table
        self._coder = self._load().adapt(self._answer_batches(), missing=self._missing)

    def measure(self, cells: Cells) -> CodeScores:
        """Score some answers."""
        fitted = self._fitted  # first of all, as a cap on calls of the chat model may end the run
        rows = np.arange(cells.first_row, cells.first_row + cells.rows.height)
        scores = self._learned_coder.score(
            cells["text"], hand_coded=fitted.positions(rows), missing=self._missing, progress=self._progress
        )
        return fitted.rate(scores, rows, self._chat_codes(rows), self._progress)

    def further_columns(self, cells: Cells, result: CodeScores) -> list[pl.Series]:
        """Return outcomes, codes and their values."""
        rows = np.arange(cells.first_row, cells.first_row + len(result.likeness))
        coded = self._fitted.code(result, rows, self._chat_codes(rows)).to_frame()
        return [column.alias(PREFIX + column.name) for column in coded]

    def facts(self) -> ResultFacts:
        """Return the text, the codebook and its nets."""
        no_answer = tuple(sorted(self.columns.no_answer.get(self.columns.text, ())))
        nets = tuple(name for name in self.codebook.names if name in self.codebook.nets)
        return ResultFacts(
            measured="codes", text=self.columns.text, title=self.codebook.name, nets=nets, no_answer=no_answer
        )

    def has_failed_calls(self, result: CodeScores) -> bool:
        """Return whether any calls failed, as replies affect the codes of other answers."""
        return self._asked is not None and Status.FAILED in self._asked.counts

    def read(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> CodeScores:
        """Read the scores of a part back."""
        return CodeScores.from_part(
            frame, notes, codebook=self.codebook, signature=self._learned_coder.signature
        )

    def add(self, cells: Cells, result: CodeScores) -> None:
        """Add a part to the summary."""
        rows = np.arange(cells.first_row, cells.first_row + len(result.likeness))
        coding = self._fitted.code(result, rows, self._chat_codes(rows))
        # A number is stored as text if its column has texts, too.
        is_text = result.text_status != Status.NOT_TEXT
        answers = [cell if known else None for cell, known in zip(cells["text"], is_text, strict=True)]
        weights = cells.get("weight")
        self._seen_codes |= self._missing & {code_key(cell) for cell in answers if isinstance(cell, str)}
        groups = self._tallies.add(coding, answers, cells.get("by") or {}, weights)
        self._add_quoted_units(answers, coding)
        if self._asked is not None:
            self._changes.add(coding.assigned, self._fitted_alone.code(result, rows).assigned)
        columns: dict[str, Column | None] = {
            "likeness": result.likeness,
            "sentiment": result.sentiment,
            "status": np.array([_STATUSES.index(status) for status in result.text_status], np.int8),
            "rating": cells.get("rating"),
            "other": None
            if self._other is None
            else self._other.take(answers, ~is_text, self.columns.preparation),
            "weight": weights,
            **{f"by {column}": numbers for column, numbers in groups.items()},
        }
        if self._rater is not None:
            columns["rating"] = self._rater.rate(answers, progress=self._progress).mean
        if self.columns.respondent is not None:
            respondents = respondent_numbers(cells["respondent"], len(rows))
            # A row without a name is a cluster by itself.
            columns["cluster"] = np.where(respondents == NOBODY, NOBODY - 1 - rows, respondents)
        if self.columns.strata is not None:
            numbers = [self._strata.setdefault(name, len(self._strata)) for name in cells["strata"]]
            columns["stratum"] = np.array(numbers, np.int64)
        present = {name: values for name, values in columns.items() if values is not None}
        self._sample.add(present, self._fitted.positions(rows) >= 0)

    def _add_quoted_units(self, answers: Sequence[object], coding: Coding) -> None:
        """Store the units that decided about the codes of quoted answers."""
        if not self._quotes or coding.evidence is None:
            return
        positions = {answer: row for row, answer in reversed(list(enumerate(answers)))}
        for code, text in self._quotes:
            if text in positions:
                unit = coding.evidence[positions[text], self.codebook.names.index(code)]
                self.quoted_units.setdefault((code, text), unit)

    def summary(self) -> CodingSummary:
        """Return the summary of all parts.

        Raises:
            InputError: weights that sum to 0, a rating without a number, or another run with more answers.
        """
        if self._other is not None:
            self._other.check_ended()
        if self.columns.weight is not None:
            self._tallies.check_weights(self.columns.weight)
        rows = self._sample.rows()
        statuses = np.array(_STATUSES, dtype=object)[rows.columns["status"]]
        scores = CodeScores(
            self.codebook,
            rows.columns["likeness"],
            statuses,
            self._fitted.signature,
            sentiment=rows.columns.get("sentiment"),
        )
        coding = self._fitted.code(scores, rows.rows, self._chat_codes(rows.rows))
        sample = _build_sample(coding, rows)
        tallies, hand = self._tallies, coding.hand
        shares = code_shares(
            sample,
            self.codebook.names,
            np.zeros(len(rows.rows), np.int64),
            tallies.overall,
            interval=self._plan.interval,
            min_base=self._settings.min_base,
        )
        group_shares, tests = self._compare_groups(sample, rows)
        return CodingSummary(
            source=self._table.file_name,
            columns=self.columns,
            settings=self._settings,
            plan=self._plan,
            codebook=self.codebook,
            n=tallies.n,
            sampled=rows.n_drawn,
            outcomes=dict(tallies.outcomes.most_common()),
            reasons=dict(tallies.reasons.most_common()),
            shares=shares,
            group_shares=tuple(group_shares),
            tests=tuple(tests),
            calibrations=coding.calibrations,
            people=() if hand is None else hand.people,
            n_hand=0 if hand is None else int(hand.coded.sum()),
            is_drawn=hand is not None and hand.inclusion is not None,
            agreement=self._agreement(coding, scores, rows),
            pairs=tallies.pairs,
            quotes=tallies.quotes.quotes(),
            drivers=self._drivers(coding, sample, rows),
            asked=self._asked,
            advice=self._advice(sample),
            changes=() if self._asked is None else self._changes.changes(),
            signature=coding.signature,
            scale=coding.scale,
            unseen_codes=unseen_codes(self._settings.missing, self._seen_codes),
        )

    def _compare_groups(
        self, sample: CodedSample, rows: SampledRows
    ) -> tuple[list[CodeShare], list[GroupTest]]:
        """Estimate shares in the groups of each column, and test whether they differ."""
        shares: list[CodeShare] = []
        tests: list[GroupTest] = []
        # Groups are compared by the shares that are shown: corrected ones only with enough hand codes.
        labels = np.zeros((0, 0)) if sample.hand is None else sample.hand.labels
        n_hand = int((~np.isnan(labels).all(axis=1)).sum())
        is_corrected = corrects_shares(n_hand, int(self._tallies.overall.base[0]))
        tested = sample if is_corrected else replace(sample, hand=None)
        for grouping in self.columns.groupings:
            by = grouping.column
            numbers, counts = rows.columns[f"by {by}"], self._tallies.by[by]
            names = list(self._tallies.names[by])
            ranks = {name: rank for rank, name in enumerate(order_groups(names, grouping.order))}
            answers = (self.codebook.names, numbers, counts)
            min_base = self._settings.min_base
            of_groups = code_shares(
                sample, *answers, names=names, by=by, interval=self._plan.interval, min_base=min_base
            )
            shares += sorted(of_groups, key=lambda share: ranks[share.group])
            for test in group_tests(
                tested, *answers, names=names, by=by, seed=self._plan.seed, min_base=min_base
            ):
                tests.append(replace(test, groups=tuple(sorted(test.groups, key=ranks.__getitem__))))
        return shares, tests

    def _drivers(self, coding: Coding, sample: CodedSample, rows: SampledRows) -> Drivers | None:
        if "rating" not in rows.columns:
            return None
        rating = self.columns.rating or ""
        if self._scale is not None:
            rating = f"{self._scale}, as rated from the same answers"
        design = sample.design.some(rows.in_draw)
        nets = self.codebook.nets
        members = [index for index, code in enumerate(self.codebook.names) if code not in nets]
        return find_drivers(
            rows.columns["rating"][rows.in_draw],
            coding.assigned[rows.in_draw],
            self.codebook.names,
            rating=rating,
            nets=nets,
            probability=coding.probability[rows.in_draw] if coding.is_calibrated[members].all() else None,
            weights=design.weights,
            clusters=design.clusters,
            interval=self._plan.interval,
        )

    def _agreement(self, coding: Coding, scores: CodeScores, rows: SampledRows) -> CodingAgreement:
        people_alone: tuple[AgreementEstimate, ...] = ()
        people: tuple[AgreementEstimate, ...] = ()
        between: tuple[AgreementEstimate, ...] = ()
        runs: tuple[AgreementEstimate, ...] = ()
        if coding.hand is not None:
            most = majority(mean_codes(coding.hand.codes))
            people = code_alphas(np.stack([coding.held_out_assigned, most]), self._plan, standard=most)
            between = code_alphas(coding.hand.codes, self._plan)
            if self._asked is not None:
                alone = self._fitted_alone.code(scores, rows.rows)
                people_alone = code_alphas(
                    np.stack([alone.held_out_assigned, most]), self._plan, standard=most
                )
        if self._other is not None:
            both = np.stack([coding.assigned, rows.columns["other"]])
            runs = code_alphas(both[:, rows.in_draw], self._plan)
        # Answers that nobody coded are left out as well, also those that the sample does not have.
        people, between, people_alone = (
            tuple(alpha.among(rows.n) for alpha in alphas) for alphas in (people, between, people_alone)
        )
        other = "" if self._other is None else self._other.name
        return CodingAgreement(people, between, runs, other, people_alone)

    def _advice(self, sample: CodedSample) -> LabelAdvice | None:
        """Compute what further hand-coded answers would bring."""
        _, answers, hand = self._checks.hand_coded()
        if hand is None or sample.hand is None:
            return None
        gain = learning_gain(
            self._coder,
            answers,
            mean_codes(hand.codes),
            self._hand_scores.likeness,
            counts=np.array([not code.is_net for code in self.codebook.codes]),
            plan=self._plan,
            missing=self._missing,
            progress=self._progress,
        )
        return advise(sample.hand, self.codebook.names, interval=self._plan.interval, gain=gain)

    @cached_property
    def _asked(self) -> ChatCodes | None:
        """Ask the chat model about the answers that can be read."""
        if self._ask is None:
            return None
        cells = self.columns.preparation.prepare(answers_in(self._table, self.columns))
        return ask_about_cells(self._ask, cells, self._missing)

    def _answer_batches(self) -> Iterator[list[Any]]:
        """Yield the answers of the table, as they are measured."""
        for batch in self._table.batches_with([self.columns.text], _BATCH):
            yield self.columns.preparation.prepare(self.columns.cells_in(batch, self.columns.text).to_list())

    @cached_property
    def _learned_coder(self) -> Coder:
        """Coder that has learned from the hand-coded answers."""
        _, answers, codes = self._checks.hand_coded()
        if codes is None:
            return self._coder
        means = mean_codes(codes.codes)
        return self._coder.learn(
            answers, means, seed=self._plan.seed, missing=self._missing, progress=self._progress
        )

    @cached_property
    def _fitted(self) -> FittedCodes:
        """Rules for all answers."""
        return self._fitted_alone if self._asked is None else self._fit(self._asked)

    @cached_property
    def _fitted_alone(self) -> FittedCodes:
        """Rules without a chat model, to tell what it changes."""
        return self._fit(None)

    def _fit(self, asked: ChatCodes | None) -> FittedCodes:
        """Fit the rules to the hand-coded answers."""
        rows, _, codes = self._checks.hand_coded()
        return fit_codes(
            self._hand_scores,
            rows,
            hand=codes,
            asked=asked,
            rater=self._sentiment,
            settings=self._settings,
            plan=self._plan,
        )

    @cached_property
    def _hand_scores(self) -> CodeScores:
        rows, answers, _ = self._checks.hand_coded()
        return self._learned_coder.score(
            answers, hand_coded=np.arange(len(rows)), missing=self._missing, progress=self._progress
        )

    @cached_property
    def _sentiment(self) -> SentimentRater | None:
        """Rater of units, with the scale of the settings."""
        return sentiment_rater(self._settings.sentiment, self._coder.embedder, self._coder.language)

    @cached_property
    def _tallies(self) -> CodeTallies:
        applied = settings_per_code(self._fitted.calibrations, self._settings)
        return CodeTallies(self.codebook.names, [settings.given_from for settings in applied])

    @cached_property
    def _rater(self) -> Rater | None:
        return None if self._scale is None else Rater(self._scale, missing=self._settings.missing)

    def _chat_codes(self, rows: Integers) -> ChatCodes | None:
        return None if self._asked is None else self._asked.some(rows)


def _build_sample(coding: Coding, rows: SampledRows) -> CodedSample:
    """Combine the decisions about sampled answers with the design of the sample."""
    columns = rows.columns
    clusters = columns.get("cluster")
    design = SampleDesign(
        columns.get("weight"),
        clusters=None if clusters is None else _renumber(clusters),
        strata=columns.get("stratum"),
    )
    if coding.hand is None:
        return coding.sample(design, drawn=rows.drawn)
    weights, inclusion = design.weights, coding.hand.inclusion
    if rows.drawn is not None and not (design.is_plain and inclusion is None):
        # Each sampled answer without a hand code stands for more than one of all.
        weights = np.ones(len(rows.drawn)) if weights is None else weights
        weights = weights * rows.standing_for(coding.hand.coded)
    labels = HandLabels(
        coding.held_out,
        mean_codes(coding.hand.codes),
        replace(design, inclusion=inclusion, weights=weights),
    )
    return coding.sample(design, hand=labels, drawn=rows.drawn)


def _renumber(clusters: Integers) -> Integers:
    """Number clusters from 0 in order of first appearance, single rows after the others."""
    names, first, positions = np.unique(clusters, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.lexsort((first, names < 0))] = np.arange(len(first))
    return rank[positions]


class _CellChecks:
    """Checks of a table, part by part, before any text is embedded; stores the hand-coded rows.

    For respondents in strata it stores 24 bytes per respondent and part.
    """

    def __init__(self, columns: CodingColumns, codebook: Codebook) -> None:
        self._columns, self._codebook = columns, codebook
        self._rows: list[Integers] = []
        self._answers: list[Any] = []
        self._codes: list[Floats] = []
        self._inclusion: list[Floats] = []
        self._has_number = dict.fromkeys(("rating", "inclusion"), False)
        self._strata: dict[str, int] = {}
        self._nested: list[Integers] = []  # respondent, stratum and row

    def inspect(self, cells: Cells) -> None:
        """Check the next rows.

        Raises:
            InputError: an unknown code, or a label without an inclusion probability.
        """
        n = cells.rows.height
        for name in self._has_number:
            if name in cells.values:
                self._has_number[name] |= not np.isnan(cells[name]).all()
        if self._columns.labels:
            self._look_at_labels(cells)
        if self._columns.respondent is not None and self._columns.strata is not None:
            strata = [self._strata.setdefault(name, len(self._strata)) for name in cells["strata"]]
            rows = np.arange(cells.first_row, cells.first_row + n)
            triples = np.column_stack([respondent_numbers(cells["respondent"], n), strata, rows])
            _, first = np.unique(triples[:, :2], axis=0, return_index=True)
            triples = triples[np.sort(first)]
            self._nested.append(triples[triples[:, 0] != NOBODY])

    def finish(self, table: Table) -> None:
        """Refuse numeric columns without a number, and respondents in more than one stratum.

        Raises:
            InputError: there is one; the message names the respondent of the first row.
        """
        for name, has_number in self._has_number.items():
            title = getattr(self._columns, name)
            if title is not None and not has_number:
                raise InputError(name, f": column '{title}' has no number")
        if not self._nested:
            return
        respondents, strata, rows = np.concatenate(self._nested).T
        _, first, positions = np.unique(respondents, return_index=True, return_inverse=True)
        split = rows[strata != strata[first][positions]]
        if len(split):
            title = str(self._columns.respondent)
            (cell,) = [column_in(batch, title)[0] for batch, _ in pick_rows(table, split[:1], {title})]
            raise InputError(
                "respondent",
                f": '{cell}' lies in more than one of the strata: give such rows one stratum, and "
                "other names in another",
            )

    def hand_coded(self) -> tuple[Integers, list[Any], HandCodes | None]:
        """Return the row numbers of hand-coded answers, ascending, the answers, and their codes."""
        if not self._columns.labels:
            return np.zeros(0, np.int64), [], None
        inclusion = None if self._columns.inclusion is None else np.concatenate(self._inclusion)
        codes = HandCodes(np.concatenate(self._codes, axis=1), self._columns.labels, inclusion)
        return np.concatenate(self._rows), self._answers, codes

    def _look_at_labels(self, cells: Cells) -> None:
        try:
            codes = hand_codes(cells["labels"], self._codebook, self._columns.labels)
        except RowError as error:
            raise RowError(error.message, error.row + cells.first_row) from None
        is_coded: Mask = np.asarray(~np.isnan(codes).all(axis=(0, 2)))
        coded = np.flatnonzero(is_coded)
        self._rows.append(coded + cells.first_row)
        self._codes.append(codes[:, coded])
        self._answers += [cells["text"][row] for row in coded.tolist()]
        if self._columns.inclusion is not None:
            inclusion = validate_inclusion(cells["inclusion"], is_coded, first_row=cells.first_row)
            self._inclusion.append(inclusion[coded])


class OtherRun:
    """Reader of another run's decisions from its output table, some rows at a time.

    Args:
        table: the other run's output.
        codebook: k codes.
        columns: the column of answers.
        name: the table's name in messages.

    Raises:
        InputError: the table has none of the codes.
    """

    def __init__(self, table: Table, codebook: Codebook, columns: CodingColumns, name: str) -> None:
        codes = [f"{PREFIX}{code}" for code in codebook.names]
        if not set(codes) & set(table.columns):
            raise InputError(
                "other_run",
                f": {name} has no column {codes[0]} and no other code: give the table that "
                "semscale code --out wrote",
            )
        self._columns, self.name = columns, name
        self._rows = self._read(table, codes)

    def take(self, texts: Sequence[Any], no_text: Mask, preparation: TextPreparation | None = None) -> Floats:
        """Read the decisions about the next answers.

        Args:
            texts: n answers of this run.
            no_text: shape (n,), mask of cells that are not text, such as numbers, and are not compared.
            preparation: treatment of reasoning and HTML in the answers of this run, if any.

        Returns:
            Shape (n, k), 1, 0 or NaN; all NaN for a code that the other run did not have.

        Raises:
            InputError: the other run had other answers.
        """
        rows = list(islice(self._rows, len(texts)))
        cells = (preparation or TextPreparation()).prepare([cell for cell, _ in rows])
        written = [None if skipped else cell for cell, skipped in zip(cells, no_text, strict=False)]
        if not _same_texts(written, texts):
            raise self._differs()
        return np.array([decisions for _, decisions in rows])

    def check_ended(self) -> None:
        """Refuse a table with more answers than this run has.

        Raises:
            InputError: there are answers left.
        """
        if next(self._rows, None) is not None:
            raise self._differs()

    def _read(self, table: Table, codes: Sequence[str]) -> Iterator[tuple[Any, Floats]]:
        """Yield the answer and the decisions (k,) of each row."""
        for batch in table.batches(_BATCH):
            columns = [column_in(batch, code).cast(pl.Float64, strict=False) for code in codes]
            decisions = np.column_stack([floats_in(column) for column in columns])
            answers = self._columns.cells_in(batch, self._columns.text).to_list()
            yield from zip(answers, decisions, strict=True)

    def _differs(self) -> InputError:
        return InputError(
            "other_run",
            f": {self.name} must have the same answers in the same order in its column "
            f"'{self._columns.text}'",
        )


def _same_texts(written: Sequence[Any], texts: Sequence[Any]) -> bool:
    """Compare answers with a table's; an empty answer may be missing in the table."""
    if len(written) != len(texts):
        return False
    answers = pl.Series(texts, dtype=pl.String, strict=False).to_list()
    cells = ["" if cell is None else str(cell) for cell in written]
    return cells == [answer or "" for answer in answers]


def answers_in(table: Table, columns: CodingColumns) -> list[Any]:
    """Read all answers of a table."""
    batches = table.batches_with([columns.text], _BATCH)
    return [cell for batch in batches for cell in columns.cells_in(batch, columns.text).to_list()]
