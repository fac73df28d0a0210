"""The command ``semscale label``: a sheet of rows for people to rate, code or judge."""

import shlex
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from semscale.cli.judge import (
    JudgeChoice,
    forecast_judge,
    forecast_summary,
    items_in,
    read_cells,
    requests_about,
    statuses,
)
from semscale.cli.options import As, Rare, Without, command, option_arguments, refuse_stated
from semscale.cli.outputs import OUTPUT, CsvEscape, Outputs, check_input, present
from semscale.cli.process import echo, message_if_stopped
from semscale.cli.rate import CalibrateOptions, LabelledColumns
from semscale.cli.shared import EmbedderOptions, InputFile, JudgeCallOptions, RowOptions, SurveyOptions
from semscale.coding.settings import CODES, CodingColumns
from semscale.errors import EmptyTableError, InputError, InterruptedRunError
from semscale.judging.settings import JudgeColumns, JudgeSettings
from semscale.rating.settings import RaterSettings, RatingColumns
from semscale.settings import RUN, Option, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from semscale.chat.budget import ForecastSummary
    from semscale.coding.labels import ExpectedCodes
    from semscale.judging.judge import Judge
    from semscale.judging.label_draws import LabelDraw
    from semscale.judging.templates import Template
    from semscale.results.table_columns import Cells
    from semscale.types import Floats, Progress

_BATCH = 50_000
_DEFAULT_N = {"rate": 100, "code": 200, "judge": 50}
_MOST_TIMES = 2
"""Size of a sheet that is suggested for the sake of rare codes, as a multiple of the drawn one."""

_MOST_WIDE = 4
"""Labels whose corrected mean often has the whole scale as its interval."""


class LabelOptions(Settings):
    """All options of ``semscale label``."""

    file: InputFile
    out: Annotated[
        Path,
        Field(description="The sheet: .csv, .xlsx, .jsonl or .parquet."),
        Option(OUTPUT, "FILE"),
    ]
    escape: CsvEscape = True
    text: Annotated[str | None, As(LabelledColumns, "text")] = None
    question: Annotated[str | None, As(JudgeColumns, "question")] = None
    answer: Annotated[str | None, As(JudgeColumns, "answer")] = None
    reference: Annotated[tuple[str, ...], As(JudgeColumns, "reference")] = ()
    scale: Annotated[str | None, As(CalibrateOptions, "scale")] = None
    codebook: Annotated[
        Path | None,
        Field(description="To code: YAML with codes: name, definition and examples."),
        Option(CODES, "FILE"),
    ] = None
    rating: Annotated[RaterSettings, Without("calibration")]
    judging: Annotated[JudgeSettings, Rare("template", "rubric"), Without("reasoning", "html")]
    judges: Annotated[JudgeChoice, Without("panel")]
    calls: JudgeCallOptions
    embedder: Annotated[EmbedderOptions, Rare("name")]
    description: Annotated[SurveyOptions, Rare("survey")]
    table: Annotated[RowOptions, Rare("where")]
    n: Annotated[
        int | None,
        Field(ge=1, description="Rows to draw (default: 100 ratings, 200 codes, 50 judgements)."),
        Option(RUN),
    ] = None
    draw: Annotated[
        Literal["random", "unsure"] | None,
        Field(
            description="Draw at random, or favour unsure scores (default: random for ratings, "
            "otherwise unsure)."
        ),
        Option(RUN),
    ] = None
    seed: Annotated[int, Field(description="Seed of all random numbers."), Option(RUN, rare=True)] = 0

    def model_post_init(self, _context: object) -> None:
        """Refuse options of more than one kind of sheet, or of none."""
        named = {"rate": self.scale, "code": self.codebook, "judge": self.question or self.answer}
        chosen = [purpose for purpose, value in named.items() if value is not None]
        if len(chosen) != 1:
            got = "none" if not chosen else f"those to {' and '.join(chosen)}"
            raise InputError(
                "name what people are to do: --scale to rate, --codebook to code, or --prompt and --answer "
                f"to judge; got {got}"
            )
        if self.purpose != "rate":
            refuse_stated("--scale, which is not given", self.rating)
        if self.purpose == "judge":
            if self.question is None or self.answer is None:
                raise InputError(
                    f"{'--prompt' if self.question is None else '--answer'} must name a column: people judge "
                    "answers to questions"
                )
            if self.text is not None:
                raise InputError("--text belongs to --scale or --codebook: --answer names what is judged")
        else:
            owner = "--prompt and --answer, which are not given"
            refuse_stated(owner, self.judging, self.judges, self.calls)
            if self.reference:
                raise InputError(f"--reference belongs to {owner}")
            if self.text is None:
                raise InputError("text", "must name the column to draw from")

    @property
    def purpose(self) -> str:
        """The command that uses the filled sheet: rate, code or judge."""
        return "rate" if self.scale is not None else "code" if self.codebook is not None else "judge"

    @property
    def rows(self) -> int:
        """Number of rows to draw."""
        return _DEFAULT_N[self.purpose] if self.n is None else self.n

    @property
    def is_random(self) -> bool:
        """True if all rows have the same probability."""
        return (self.draw or ("random" if self.purpose == "rate" else "unsure")) == "random"


@command
def label(options: LabelOptions) -> None:
    """Draw rows for people to rate, code or judge, into a sheet with instructions.

    [bold]semscale label answers.csv --text comment --scale satisfaction --out sheet.xlsx[/bold]

    [bold]semscale label answers.csv --text comment --codebook codes.yaml --out sheet.csv[/bold]

    [bold]semscale label answers.csv --prompt q --answer a --chat-model gpt-4o-mini --out sheet.csv[/bold]

    The sheet has the probability with which each row was drawn, so that corrected means and shares are
    right on average. Use the filled sheet in [bold]semscale calibrate[/bold], [bold]rate --labels[/bold],
    [bold]code --human[/bold] or [bold]judge --human[/bold]. The command is printed, or is in the
    instructions.
    """
    _check(options)
    if options.purpose == "judge":
        if options.calls.dry_run:
            present(_forecast_draw(options), Outputs())
        else:
            _draw_to_judge(options)
        return
    with message_if_stopped("stopped; nothing was written, and the same command starts again"):
        _draw_to_rate(options) if options.purpose == "rate" else _draw_to_code(options)


def _check(options: LabelOptions) -> None:
    """Check, before anything is read or loaded, that the sheet can be written.

    Raises:
        InputError: it cannot, or has labels that would be lost.
    """
    from semscale.results.label_sheets import instructions_path
    from semscale.store.atomic import check_writable
    from semscale.store.writing import output_format

    output_format(options.out)
    check_writable(options.out, "out")
    if options.purpose != "judge":
        check_writable(instructions_path(options.out), "out")
    check_input(options.file, options.out, name="out")
    check_unlabelled(options.out)


def check_unlabelled(sheet: Path) -> None:
    """Refuse to draw over a sheet that people have begun to fill in.

    Raises:
        InputError: it has a label, or cannot be read.
    """
    from semscale.results.label_sheets import HUMAN
    from semscale.store.columns import column_in
    from semscale.store.missing_codes import is_missing
    from semscale.store.reading import open_table

    if not sheet.exists() or not sheet.stat().st_size:
        return
    try:
        table = open_table(sheet)
    except EmptyTableError:
        return
    except InputError as error:
        raise InputError(
            "out",
            f": {sheet} is there and cannot be read, so labels in it would be lost: name another file, or "
            "move this one away",
        ) from error
    if HUMAN not in table.columns:
        return
    cells = [cell for batch in table.batches(_BATCH) for cell in column_in(batch, HUMAN).to_list()]
    n = sum(not is_missing(cell) and str(cell).strip() != "" for cell in cells)
    if n:
        raise InputError(
            "out",
            f": {sheet} has {n:,} label{'' if n == 1 else 's'}, which would be lost: name another file, "
            "or move this one away",
        )


def _embedder(options: LabelOptions, default: str) -> list[str]:
    """Write the options of the embedding model, which is named in any case."""
    return [
        "--embedder",
        options.embedder.name or default,
        *option_arguments(options.embedder, but=("name",)),
    ]


def _draw_to_rate(options: LabelOptions) -> None:
    """Rate the texts of a file, draw some, and write the sheet with instructions.

    Raises:
        InputError: a column or option that cannot be used, or no text with a rating.
        SemscaleError: the model cannot be run.
    """
    from semscale.cli.progress import progress_bars
    from semscale.rating.fitting import FEWEST_LABELS
    from semscale.rating.labelling import draw_for_labels, instructions, label_sheet, write_sheet
    from semscale.rating.rater import Rater
    from semscale.report.formatting import count_of
    from semscale.signature import Signature
    from semscale.weights.known import DEFAULT_RATING_MODEL

    with progress_bars() as progress:
        settings = options.rating.with_values(
            embedder=lambda: options.embedder.load(progress, default=DEFAULT_RATING_MODEL)
        )
        rater = Rater.from_settings(str(options.scale), settings)
        table = options.table.open(options.file)
        columns = RatingColumns(text=str(options.text))
        table, columns = options.description.resolve(table, options.file, columns, is_reported=False)
        table.require_text(columns.text, "text")
        cells: list[Any] = []
        for batch in table.batches(_BATCH):
            cells += columns.cells_in(batch, columns.text).to_list()
        ratings = rater.rate(cells, progress=progress)
    by_interest = not options.is_random
    drawn = draw_for_labels(ratings, options.rows, by_interest=by_interest, seed=options.seed)
    drawn_with = Signature.of(
        "label", texts=len(drawn.rows), by_interest=by_interest, draw_seed=options.seed
    ).plus(ratings.signature)
    calibrate = _calibrate_command(options) if len(drawn.rows) >= FEWEST_LABELS else None
    text_of_instructions = instructions(
        rater.scale, options.out.name, drawn_with, calibrate, _rate_command(options)
    )
    path = write_sheet(label_sheet(cells, drawn), options.out, text_of_instructions, escape=options.escape)
    n_read, n_unrated = len(drawn.all_probabilities), len(drawn.all_probabilities) - ratings.n_scored
    unrated = f", {n_unrated:,} of them without a rating" if n_unrated else ""
    echo(f"{len(drawn.rows):,} drawn of {count_of(n_read, 'text')} that can be read{unrated}")
    echo(f"sheet: {options.out}\ninstructions: {path}")
    for note in number_notes(options.rows, len(drawn.rows)):
        echo(note)


def number_notes(asked: int, drawn: int) -> list[str]:
    """Describe what a number of drawn texts is too small for, and whether fewer were there than asked for.

    Examples:
        >>> number_notes(100, 100)
        []
    """
    from semscale.rating.fitting import FEWEST_LABELS
    from semscale.report.formatting import count_of

    notes = []
    if drawn < asked:
        notes.append(
            f"note: you asked for {count_of(asked, 'text')}, and only {drawn:,} can be read: all of these "
            "were drawn"
        )
    if drawn < FEWEST_LABELS:
        wide = ", and with 3 or 4 its interval is often the whole scale" if drawn <= _MOST_WIDE else ""
        notes.append(
            f"note: `semscale calibrate` needs {FEWEST_LABELS} labels, and {drawn} will be too few; "
            f"the mean of `rate --labels` needs 3{wide}"
        )
    return notes


def _calibrate_command(options: LabelOptions) -> str:
    """Write the command that calibrates by the filled sheet, with the model and settings of the draw."""
    from semscale.rating.labelling import TEXT
    from semscale.results.label_sheets import HUMAN
    from semscale.weights.known import DEFAULT_RATING_MODEL

    arguments = ["semscale", "calibrate", str(options.out), "--text", TEXT, "--human", HUMAN]
    settings = [*option_arguments(options.rating), *_embedder(options, DEFAULT_RATING_MODEL)]
    return shlex.join([*arguments, "--scale", str(options.scale), *settings, "--out", "cal.json"])


def _rate_command(options: LabelOptions) -> str:
    """Write the command that rates the file with the labels of the filled sheet, likewise."""
    from semscale.weights.known import DEFAULT_RATING_MODEL

    arguments = ["semscale", "rate", options.file, "--text", str(options.text), "--scale", str(options.scale)]
    settings = [*option_arguments(options.rating), *_embedder(options, DEFAULT_RATING_MODEL)]
    settings += option_arguments(options.description, options.table)
    return shlex.join([*arguments, *settings, "--labels", str(options.out)])


def _draw_to_code(options: LabelOptions) -> None:
    """Draw answers of a file for people to code, and write the sheet with instructions.

    Raises:
        InputError: a column or codebook that cannot be used, or no answer that can be read.
        SemscaleError: the model cannot be run.
    """
    from semscale.cli.progress import progress_bars
    from semscale.coding.codebook import load_codebook
    from semscale.coding.coder import Coder
    from semscale.coding.label_advice import plan_labels
    from semscale.coding.labels import draw_answers, label_batches, predict_code_counts, write_instructions
    from semscale.report.coding_labels import plan_sentence
    from semscale.results.label_sheets import HUMAN, INCLUSION, check_label_columns
    from semscale.store.writing import write_batches
    from semscale.weights.known import DEFAULT_MODEL

    codebook, columns = load_codebook(str(options.codebook)), CodingColumns(text=str(options.text))
    table = options.table.open(options.file)
    table, columns = options.description.resolve(table, options.file, columns, is_reported=False)
    check_label_columns(table.columns)
    text = columns.text
    table.require_text(text, "text")
    with progress_bars() as progress:
        coder = Coder(codebook, embedder=options.embedder.load(progress))
        likeness = coder.score_table(table, columns, progress=progress)
    drawn = draw_answers(likeness, options.rows, alike=options.is_random, seed=options.seed)
    write_batches(label_batches(table, drawn), options.out, escape=options.escape)
    read = [str(options.out), "--text", text, "--codebook", str(options.codebook)]
    read += option_arguments(options.description)
    model = _embedder(options, DEFAULT_MODEL)
    labels = ["--human", HUMAN, "--inclusion", INCLUSION]
    use = shlex.join(["semscale", "code", *read, *model, *labels])
    path = write_instructions(options.out, codebook, text, use)
    echo(f"{len(drawn.rows):,} of {len(drawn.all_probabilities):,} answers drawn")
    if (advice := plan_labels(likeness, codebook.names, len(drawn.rows))) is not None:
        echo(plan_sentence(advice))
    for note in code_notes(predict_code_counts(likeness, drawn, codebook.names), len(drawn.rows)):
        echo(note)
    echo(f"table: {options.out}\ninstructions: {path}")
    echo(f"code the answers at the top in the column {HUMAN!r}; {INCLUSION!r} stays as it is")
    echo(f"then: {use}")


def code_notes(expected: "Sequence[ExpectedCodes]", n: int) -> list[str]:
    """Name the codes of which a sheet of n answers will probably have too few, and the size that is enough.

    Args:
        expected: of all codes.
        n: drawn answers.
    """
    from semscale.coding.labels import ENOUGH_EXPECTED

    few = [code for code in expected if round(code.n) < ENOUGH_EXPECTED]
    if not few:
        return []
    counts = ", ".join(f"{code.code} {code.n:.0f}" for code in few)
    notes = [
        f"note: to be calibrated, a code needs 5 hand-coded answers that have it; the {n:,} drawn answers "
        f"may have too few of these (forecast): {counts}"
    ]
    most = _MOST_TIMES * n
    enough = {code.code: code.needed for code in few if code.needed is not None and code.needed <= most}
    if enough:
        notes.append(f"note: --n {max(enough.values())} will probably be enough for {', '.join(enough)}")
    if rare := [code.code for code in few if code.code not in enough]:
        notes.append(
            f"note: {', '.join(rare)} would need more than {most:,} hand-coded answers, which is hardly "
            "worth it: merge such a code with another, or use its corrected share, which needs fewer"
        )
    return notes


def _draw_to_judge(options: LabelOptions) -> None:
    """Judge the rows of a file, from the ledger where they were judged before, and draw some for labels.

    Raises:
        InputError: a column or option that cannot be used, or no row with a score.
        InterruptedRunError: a cap was reached; replies are stored, and nothing is drawn.
        ReplyError: no call can succeed.
    """
    from semscale.chat.runner import run_to_end
    from semscale.cli.progress import progress_bars
    from semscale.judging.label_draws import draw_rows
    from semscale.judging.prompts import read_items
    from semscale.results.label_sheets import HUMAN, INCLUSION
    from semscale.store.writing import write_table

    with progress_bars() as progress:
        judge, named, cells, _ = _read_unlabelled(options, progress)
        earlier = None if "human" not in cells.values else _earlier_draws(cells, judge.template)
        items = read_items(cells["question"], cells["answer"], cells.get("reference"), judge.preparation)
        verdicts = run_to_end(judge.judge_items(items, options.calls.running(), progress))
    if verdicts.stopped is not None:
        raise InterruptedRunError(verdicts.stopped)
    draw = draw_rows(verdicts, options.rows, alike=options.is_random, seed=options.seed, earlier=earlier)
    write_table(draw.table(cells.rows), options.out, escape=options.escape)
    # The command that corrects the mean by the labels; its replies come from the ledger.
    columns = ["--prompt", named.question, "--answer", named.answer]
    columns += [word for column in named.reference for word in ("--reference", column)]
    given = option_arguments(options.judges, options.judging, options.calls, options.description)
    labels = ["--human", HUMAN, "--inclusion", INCLUSION]
    use = shlex.join(["semscale", "judge", str(options.out), *columns, *given, *labels])
    decides = judge.settings.method == "decision"
    echo("\n".join([*_draw_report(options, draw, decides=decides), f"then: {use}"]))


def _forecast_draw(options: LabelOptions) -> "ForecastSummary":
    """Forecast the calls that judging the rows would take, without asking.

    Raises:
        InputError: a column or option that cannot be used.
    """
    judge, _, cells, source = _read_unlabelled(options)
    items = items_in(cells, judge)
    requests = partial(requests_about, judge, items)
    works = {judge.name: partial(forecast_judge, judge, requests, retry=options.calls.retry_unparsable)}
    return forecast_summary(source, options.calls.forecasts(works), Counter(statuses(items)))


def _read_unlabelled(
    options: LabelOptions, progress: "Progress | None" = None
) -> "tuple[Judge, JudgeColumns, Cells, str]":
    """Load the judge, and read the rows with labels of an earlier draw; the last is the table's name."""
    from semscale.judging.judge import Judge
    from semscale.results.label_sheets import HUMAN

    options.judges.check(options.judging)
    judge = options.judges.load(options.judging, progress)
    if not isinstance(judge, Judge):
        raise InputError("rows are drawn by one judge: name it with --chat-model")
    table = options.table.open(options.file)
    columns = JudgeColumns(
        question=str(options.question),
        answer=str(options.answer),
        reference=options.reference,
        human=HUMAN if HUMAN in table.columns else None,
    )
    table, columns = options.description.resolve(table, options.file, columns, is_reported=False)
    return judge, columns, read_cells(table, columns), table.file_name


def _earlier_draws(cells: "Cells", template: "Template") -> "Floats":
    """Read which rows were drawn before, or have a label from elsewhere."""
    import polars as pl

    from semscale.judging.human_labels import label_table
    from semscale.judging.label_draws import earlier_draws
    from semscale.results.label_sheets import INCLUSION
    from semscale.store.columns import floats_in

    inclusion = None
    if INCLUSION in cells.rows.columns:
        inclusion = floats_in(cells.rows[INCLUSION].cast(pl.Float64))
    return earlier_draws(label_table(cells["human"], template), inclusion)


def _draw_report(options: LabelOptions, draw: "LabelDraw", *, decides: bool) -> list[str]:
    import numpy as np

    from semscale.results.label_sheets import HUMAN, INCLUSION

    n = len(draw.rows)
    lines = [f"{n:,} of {draw.n_scored:,} judged rows drawn", f"table: {options.out}"]
    if draw.earlier is not None:
        before = int((~np.isnan(draw.earlier)).sum())
        lines.append(
            f"{before:,} earlier rows keep their labels; {INCLUSION!r} joins their draw and this one"
        )
    if n == draw.n_scored:
        lines.append("gain: none, as every row that could be drawn was")
    elif round(draw.worth) > n:
        lines.append(
            f"gain: as good as {draw.worth:,.0f} labels drawn at random, if the judge's distributions show "
            "how far it may be off; a judge that is certain and wrong makes the mean worse (see --draw)"
        )
    elif not options.is_random:
        lines.append(
            "gain: less than one label, as the judge is about equally certain of all rows"
            + ("" if decides else "; --reply decision asks for a probability of each level")
        )
    lines.append(f"label the rows at the top in the column {HUMAN!r}; {INCLUSION!r} stays as it is")
    return lines
