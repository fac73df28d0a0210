"""The commands ``semscale match`` and ``match evaluate``: predictions compared with references."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App
from pydantic import Field

from semscale.cli.options import As, Rare, Without, command, refuse_stated
from semscale.cli.outputs import Outputs, present
from semscale.cli.shared import (
    ARGUMENTS,
    EmbedderOptions,
    InputFile,
    RayOptions,
    RowOptions,
    RunOptions,
    SurveyOptions,
    refuse_endpoint,
)
from semscale.errors import InputError
from semscale.matching.settings import MATCHING, GroundingColumns, MatchColumns, MatchSettings
from semscale.settings import Option, Settings

if TYPE_CHECKING:
    from semscale.answer_consistency.claim_tables import GroundingSummary
    from semscale.distributed.datasets import MatchRecipe
    from semscale.matching.cliniqlink import EvaluationSummary
    from semscale.matching.summary import MatchSummary

_OF_SETTINGS = ("nli", "nli_labels", "reasoning", "html")
_OF_CONTEXT = ("file", "columns", *_OF_SETTINGS, "outputs", "embedder", "description", "table", "run")
"""Options of ``semscale match`` that serve with passages, too."""

app = App(name="match")


class PairColumns(Settings):
    """Columns of predictions, and of either references or passages.

    Raises:
        InputError: neither references nor passages are named, or both.
    """

    prediction: Annotated[str, As(MatchColumns, "prediction")]
    reference: Annotated[tuple[str, ...], As(MatchColumns, "reference")] = ()
    context: Annotated[tuple[str, ...], As(GroundingColumns, "context")] = ()
    by: Annotated[str | None, As(MatchColumns, "by")] = None

    def model_post_init(self, _context: object) -> None:
        """Refuse neither and both."""
        if not self.reference and not self.context:
            raise InputError(
                "reference",
                "must name the column with what the predictions should say, or --context the one "
                "with passages that should back them",
            )
        if self.reference and self.context:
            raise InputError("context", "must not be combined with --reference: name passages or references")


class CorpusOptions(Settings):
    """File and column of a corpus, if there is one.

    Raises:
        InputError: a column without a file.
    """

    corpus: Annotated[
        str | None,
        Field(
            description="Texts from which word weights and random pairs are computed (default: the "
            "references)."
        ),
        Option(MATCHING, "FILE", rare=True),
    ] = None
    corpus_column: Annotated[
        str | None,
        Field(description="Column of the corpus, if it is a table."),
        Option(MATCHING, "COLUMN", rare=True),
    ] = None

    def model_post_init(self, _context: object) -> None:
        """Refuse a column without a file."""
        if self.corpus is None and self.corpus_column is not None:
            raise InputError(
                f"corpus_column {self.corpus_column!r} belongs to a corpus; name its file with --corpus, too"
            )

    def read(self) -> list[str] | None:
        """Read the texts that are not empty; ``None`` without a corpus.

        Raises:
            InputError: the file cannot be read, holds no text, or the column is missing.
        """
        if self.corpus is None:
            return None
        path = Path(self.corpus)
        if path.suffix.lower() != ".txt":
            texts = self._cells(self.corpus)
        elif self.corpus_column is not None:
            raise InputError("corpus_column", f"belongs to a table, {path} has one text a line; leave it out")
        elif not path.exists():
            raise InputError("corpus", f": {path} does not exist; check the name of the file")
        else:
            from semscale.input_files import check_regular
            from semscale.store.delimited import encoding_of, open_text

            check_regular(path)
            codec, _ = encoding_of(path, str(path), None)
            with open_text(path, str(path), codec) as lines:
                texts = [line.strip() for line in lines if line.strip()]
        if not texts:
            raise InputError(
                "corpus", f": {self.corpus} holds no text; name a file with texts of the kind to be matched"
            )
        return texts

    def _cells(self, file: str) -> list[str]:
        from semscale.store.reading import open_table

        try:
            table = open_table(file)
        except InputError as error:
            raise InputError("corpus", f": {error}") from error
        column = self.corpus_column
        if column is None:
            if len(table.columns) > 1:
                raise InputError(
                    "corpus",
                    f": {file} has {len(table.columns)} columns; name one with --corpus-column: "
                    f"{', '.join(table.columns)}",
                )
            column = table.columns[0]
        table.require_text(column, "corpus_column")
        batches = table.batches_with({column}, 50_000)
        cells = (cell for batch in batches if column in batch.columns for cell in batch[column].to_list())
        return [cell for cell in cells if isinstance(cell, str) and cell.strip()]


class MatchOptions(Settings):
    """All options of ``semscale match``."""

    file: InputFile
    columns: PairColumns
    matching: MatchSettings
    corpus: CorpusOptions
    outputs: Outputs
    embedder: EmbedderOptions
    description: Annotated[SurveyOptions, Rare("survey")]
    table: RowOptions
    run: RunOptions
    cluster: RayOptions

    def model_post_init(self, _context: object) -> None:
        """Refuse options without the one that they belong to."""
        if self.columns.reference:
            return
        refuse_stated("--reference, which is not given", self, but=_OF_CONTEXT)
        if self.matching.nli is None and self.matching.nli_labels is not None:
            raise InputError("nli_labels", "belongs to --nli, which is not given")
        if self.matching.nli is not None and self.embedder.is_stated:
            raise InputError("--embedder belongs to --context without --nli, which has a model of its own")


@app.default
@command
def match(options: MatchOptions) -> None:
    """Measure how well predictions agree in meaning with their references, and show why.

    [bold]semscale match answers.csv --prediction answer --reference expected --report match.html[/bold]

    With several references the highest score counts. With --context instead of --reference, each sentence of
    a prediction is supported, contradicted or not found in the passages of its row.

    If it is stopped, run it again with the same --out to continue after the last finished part.

    """
    summary = run_match(options) if options.columns.reference else run_groundedness(options)
    with options.outputs.report_if_stopped():
        present(summary, options.outputs)


def run_match(options: MatchOptions) -> "MatchSummary":
    """Match a file, write its table, and sum it up.

    Raises:
        InputError: an unknown method, or an extension, folder or file that does not serve.
        SemscaleError: what the table, the model or the method cannot do.
    """
    from semscale.cli.progress import progress_bars
    from semscale.matching.matcher import (
        Matcher,
        check_explaining,
        check_method,
        guards_for,
    )
    from semscale.matching.table import match_table

    named, model, chosen = options.columns, options.embedder, options.matching
    check_method(chosen.method, model.engine)
    if chosen.explain:
        check_explaining(chosen.method)
    guards_for(chosen.method, chosen.guards)  # refuses what the method cannot weigh
    options.outputs.check_run(options.file, restart=options.run.restart)
    table = options.table.open(options.file, is_reported=True)
    columns = MatchColumns(prediction=named.prediction, reference=named.reference, by=named.by)
    table, columns = options.description.resolve(table, options.file, columns)
    corpus = options.corpus.read()
    with progress_bars() as progress:
        settings = chosen.with_values(
            embedder=model.chosen_name,
            precision=model.precision,
            corpus=corpus,
            seed=options.run.seed,
            loading=model.loading(progress),
        )

        def recipe() -> "MatchRecipe":
            from semscale.distributed.datasets import MatchRecipe

            refuse_endpoint(model)
            return MatchRecipe.from_settings(columns, settings)

        with options.cluster.workers(model.engine, recipe) as workers:
            return match_table(
                table,
                columns,
                Matcher.from_settings(settings),
                plan=options.run.plan,
                out=options.outputs.out,
                settings=replace(options.run.parts_into(options.outputs), workers=workers),
                progress=progress,
            )


def run_groundedness(options: MatchOptions) -> "GroundingSummary":
    """Judge the answers of a file by passages, write its table, and sum it up.

    Raises:
        InputError: an engine that does not serve, or an extension, folder or file that does not.
        SemscaleError: what the table or the model cannot do.
    """
    from semscale.answer_consistency.claim_tables import measure_groundedness
    from semscale.answer_consistency.claims import Groundedness
    from semscale.cli.consistency import claim_models
    from semscale.cli.progress import progress_bars
    from semscale.matching.matcher import check_method

    named, matching = options.columns, options.matching
    columns = GroundingColumns(prediction=named.prediction, context=named.context, by=named.by)
    check_method("calibrated" if matching.nli is None else "entailment", options.embedder.engine)
    options.outputs.check_run(options.file, restart=options.run.restart)
    table = options.table.open(options.file, is_reported=True)
    table, columns = options.description.resolve(table, options.file, columns)
    with progress_bars() as progress:
        return measure_groundedness(
            table,
            columns,
            instrument=Groundedness(
                **claim_models(options.embedder, matching.nli, matching.nli_labels, progress),
                reasoning=matching.reasoning,
                html=matching.html,
            ),
            plan=options.run.plan,
            out=options.outputs.out,
            settings=options.run.parts_into(options.outputs),
            progress=progress,
        )


class EvaluateOptions(Settings):
    """All options of ``semscale match evaluate``."""

    folder: Annotated[
        str,
        Field(description="Folder with true_false.json, short.json and the other task files."),
        Option(ARGUMENTS, "FOLDER", positional=True),
    ]
    method: Annotated[str, As(MatchSettings, "method")] = "cliniqlink-doc"
    corpus: CorpusOptions
    outputs: Outputs
    embedder: Annotated[EmbedderOptions, Without("engine", "device", "base_url", "key_variable", "cache")]
    run: Annotated[RunOptions, Without("interval", "part_rows", "restart")]


@app.command(name="evaluate")
@command
def evaluate(options: EvaluateOptions) -> None:
    """Score a submission to ClinIQLink: closed questions by rule, open ones by matching.

    [bold]semscale match evaluate submission[/bold]

    Each task file holds {"inputs": [...], "responses": [...]}; missing files are left out.
    """
    summary = evaluate_folder(options)
    with options.outputs.report_if_stopped():
        present(summary, options.outputs)


def evaluate_folder(options: EvaluateOptions) -> "EvaluationSummary":
    """Score a folder, write its table of items, and sum it up.

    Raises:
        SemscaleError: what the folder, the model or the method cannot do.
    """
    from semscale.cli.progress import progress_bars
    from semscale.matching.cliniqlink import evaluate_submission
    from semscale.matching.matcher import check_method

    check_method(options.method)
    if options.method == "entailment":
        raise InputError(
            "method", "must be one that needs no further model, got 'entailment': see semscale match"
        )
    options.outputs.check()
    with progress_bars() as progress:
        summary = evaluate_submission(
            options.folder,
            method=options.method,
            embedder=options.embedder.chosen_name,
            precision=options.embedder.precision,
            corpus=options.corpus.read(),
            seed=options.run.seed,
            progress=progress,
        )
    options.outputs.write_table(summary.items)
    return summary
