"""The commands ``semscale models``: list, pull, verify, find and calibrate models, and their caches."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App
from pydantic import Field

from semscale.cli.options import As, Without, command
from semscale.cli.outputs import OUTPUT, Outputs
from semscale.cli.process import echo
from semscale.cli.shared import ARGUMENTS, MODEL, EmbedderOptions
from semscale.errors import InputError, ModelError
from semscale.settings import COLUMNS, RUN, Option, Settings

if TYPE_CHECKING:
    from semscale.embedding.cache_file import EntryStore
    from semscale.matching.bertscore import JudgedPairs
    from semscale.store.table import Table

_MODEL_HELP = "A known model, or organisation/name on the Hugging Face hub"
_BATCH = 10_000

app = App(name="models", help="List, pull, verify, find and calibrate models; show and empty their caches.")


class NoOptions(Settings):
    """Options of a command that has none."""


class PullOptions(Settings):
    """All options of ``semscale models pull``."""

    name: Annotated[
        str | None,
        Field(description=f"{_MODEL_HELP} (default: e5-small (89 MB) and all-MiniLM-L6-v2 (91 MB))."),
        Option(ARGUMENTS, "[NAME]", positional=True),
    ] = None
    folder: Annotated[
        Path | None,
        Field(description="Folder in which to look for the files first."),
        Option(MODEL, "FOLDER", name="--from"),
    ] = None


class VerifyOptions(Settings):
    """All options of ``semscale models verify``."""

    name: Annotated[
        str | None,
        Field(description="The model (default: all that are here)."),
        Option(ARGUMENTS, "[NAME]", positional=True),
    ] = None


class PathOptions(Settings):
    """All options of ``semscale models path``."""

    name: Annotated[
        str | None,
        Field(description=f"{_MODEL_HELP} (default: all-MiniLM-L6-v2)."),
        Option(ARGUMENTS, "[NAME]", positional=True),
    ] = None


@app.command(name="list")
@command
def list_models(_options: NoOptions) -> None:
    """List the known models, and those that have been pulled."""
    from rich.table import Table

    from semscale.embedding.openvino import PRECISIONS, arithmetic_of
    from semscale.report.terminal import print_table
    from semscale.weights.known import HUB_MODELS, KNOWN
    from semscale.weights.resolving import home_of, local_models

    def megabytes(size: int) -> str:
        return f"{size / 1e6:.0f} MB"

    here = local_models()
    named = {model.hub_id: model for model in HUB_MODELS}
    table = Table("model", "on this disk", "size", "licence", "what it is", box=None, header_style="bold")
    for model in KNOWN.values():
        state = "yes" if model.name in here else "no"
        table.add_row(model.name, state, megabytes(model.size), model.licence, model.summary)
    for name in dict.fromkeys([*named, *here]):
        if name in KNOWN:
            continue
        state, size = "no", ""
        if name in here:
            files = (file for file in home_of(name).rglob("*") if file.is_file())
            state, size = "yes", megabytes(sum(file.stat().st_size for file in files))
        licence, summary = (named[name].licence, f"{named[name].summary}; ") if name in named else ("", "")
        table.add_row(name, state, size, licence, f"{summary}from the hub, hash not pinned")
    print_table(table)
    computed = (f"{precision} in {arithmetic_of(precision)}" for precision in PRECISIONS)
    echo(f"on this processor, --precision computes {', '.join(computed)}")


@app.command(name="pull")
@command
def pull(options: PullOptions) -> None:
    """Pull a model's files onto this disk; damaged files are pulled again."""
    from semscale.cli.process import message_if_stopped
    from semscale.cli.progress import progress_bars
    from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL
    from semscale.weights.resolving import resolve

    stopped = "stopped; a model that was not whole is dropped, and the same command pulls all of it again"
    for name in [options.name] if options.name else [DEFAULT_RATING_MODEL, DEFAULT_MODEL]:
        with message_if_stopped(stopped), progress_bars() as progress:
            files = resolve(name, folder=options.folder, thorough=True, progress=progress)
        pinned = "as pinned" if files.pinned else "not pinned"
        echo(f"{files.name} is in {files.folder} (SHA-256 {files.sha256[:12]}..., {pinned})")


@app.command(name="verify")
@command
def verify(options: VerifyOptions) -> None:
    """Check the hashes of a model's files; exit code 2 if one differs."""
    from semscale.weights.resolving import local_models
    from semscale.weights.resolving import verify as verify_files

    names = [options.name] if options.name else local_models()
    for name in names:
        files = verify_files(name)
        echo(f"{files.name}: all files are {'as pinned' if files.pinned else 'as they were pulled'}")
    if not names:
        echo("no model on this disk yet: semscale models pull brings the default ones")


@app.command(name="path")
@command
def path(options: PathOptions) -> None:
    """Print the folder with a model's files."""
    from semscale.weights.known import DEFAULT_MODEL
    from semscale.weights.resolving import home_of, local_models

    name = options.name or DEFAULT_MODEL
    folder = home_of(name)
    if folder.name.replace("--", "/", 1) not in local_models():
        raise ModelError(f"{name} is not on this disk: semscale models pull {name}")
    echo(folder)


class CacheOptions(Settings):
    """All options of ``semscale models cache``."""

    clear: Annotated[
        bool,
        Field(description="Remove all stored embeddings, token states and scores; they are computed again."),
        Option(RUN),
    ] = False


@app.command(name="cache")
@command
def cache(options: CacheOptions) -> None:
    """Show where computed embeddings are stored, how many there are, their size and its limit; or empty it.

    Token vectors of baselines (drift) and scores of entailment models are in further files, each with the
    same limit.
    """
    from semscale.weights.folders import CAP_VARIABLE

    for store, content in _caches():
        if options.clear:
            entries = store.clear() if store.path.exists() else 0
            damaged = store.remove_damaged()
            aside = f", and {len(damaged)} damaged file{'s' * (len(damaged) != 1)}" if damaged else ""
            echo(f"{store.path}: {entries:,} {content} removed{aside}")
            continue
        cap = f"at most {store.max_bytes / 1e6:,.1f} MB ({CAP_VARIABLE} sets another cap)"
        if not store.path.exists():
            echo(f"{store.path}: nothing cached yet, {cap}")
            continue
        now = store.info()
        echo(f"{store.path}: {now.entries:,} {content}, {now.size / 1e6:,.1f} MB of {cap}")


def _caches() -> "Iterator[tuple[EntryStore, str]]":
    """Yield the cache of embeddings, and each other one that exists, with its content."""
    from semscale.drift.scoring import SCORES_FILE
    from semscale.embedding.cache import FILE_NAME, STATES_FILE
    from semscale.embedding.cache_file import EntryStore
    from semscale.embedding.cross_encoder import PAIRS_FILE

    contents = {
        FILE_NAME: "embeddings",
        STATES_FILE: "texts' states",
        PAIRS_FILE: "pairs of texts",
        SCORES_FILE: "scores of pairs of outputs",
    }
    for name, content in contents.items():
        with closing(EntryStore(name)) as store:
            exists = store.path.exists() or list(store.path.parent.glob(f"{name}.damaged*"))
            if name == FILE_NAME or exists:
                yield store, content


class CalibrationColumns(Settings):
    """Columns of the texts that pairs are drawn from, and of pairs that people have judged."""

    text: Annotated[str | None, Field(description="Column of texts."), Option(COLUMNS, "COLUMN")] = None
    prediction: Annotated[
        str | None, Field(description="Predictions that people judged."), Option(COLUMNS, "COLUMN")
    ] = None
    reference: Annotated[
        str | None, Field(description="References of the predictions."), Option(COLUMNS, "COLUMN")
    ] = None
    human: Annotated[
        str | None,
        Field(description="Human similarity scores; higher means more similar."),
        Option(COLUMNS, "COLUMN"),
    ] = None

    def model_post_init(self, _context: object) -> None:
        """Check that the columns state what is to be drawn from.

        Raises:
            InputError: no texts, or some of the three columns of judged pairs without the others.
        """
        judged = [self.prediction, self.reference, self.human]
        if any(judged) and not all(judged):
            raise InputError("--prediction, --reference and --human belong together: name all three columns")
        if self.text is None and not any(judged):
            raise InputError("--text must name the column of the texts that pairs are drawn from")

    def read(self, table: "Table") -> "tuple[list[Any], JudgedPairs | None]":
        """Return the texts that unrelated pairs are drawn from, and the judged pairs."""
        from semscale.matching.bertscore import JudgedPairs

        names = {"text": self.text, "prediction": self.prediction, "reference": self.reference}
        for option, column in names.items():
            if column is not None:
                table.require_text(column, option)
        if self.human is not None:
            table.require(self.human, "human")
        wanted = [column for column in (*names.values(), self.human) if column is not None]
        cells: dict[str, list[Any]] = {column: [] for column in wanted}
        for batch in table.batches(_BATCH):
            for column in cells:
                is_there = column in batch.columns
                cells[column] += batch[column].to_list() if is_there else [None] * len(batch)
        if self.prediction is None or self.reference is None or self.human is None:
            return cells[str(self.text)], None
        judged = JudgedPairs(cells[self.prediction], cells[self.reference], _numbers(cells[self.human]))
        texts = cells[self.text] if self.text else cells[self.prediction] + cells[self.reference]
        return texts, judged


class CalibrateOptions(Settings):
    """All options of ``semscale models calibrate``."""

    name: Annotated[
        str,
        Field(description="A model's name, folder, or name on the hub."),
        Option(ARGUMENTS, "MODEL", positional=True),
    ]
    corpus: Annotated[
        str, Field(description="Table with texts of the kind to be scored."), Option(COLUMNS, "FILE")
    ]
    out: Annotated[Path, Field(description="File for the baseline: .json."), Option(OUTPUT, "FILE")]
    columns: CalibrationColumns
    n_pairs: Annotated[
        int, Field(ge=100, description="Unrelated pairs to draw."), Option(RUN, name="--pairs", rare=True)
    ] = 20_000
    seed: Annotated[int, Field(ge=0, description="Seed of all random numbers."), Option(RUN, rare=True)] = 0
    precision: Annotated[Literal["exact", "fast", "turbo"], As(EmbedderOptions, "precision")] = "exact"
    outputs: Annotated[Outputs, Without("out", "escape", "json_")]


@app.command(name="calibrate")
@command
def calibrate(options: CalibrateOptions) -> None:
    """Find a model's best layer for BERTScore, and its baseline: the scores of unrelated texts.

    [bold]semscale models calibrate all-MiniLM-L6-v2 --corpus texts.csv --text text --out baseline.json[/bold]

    The command scores random pairs of texts at every layer, and pairs with human scores if there are any.
    Without --text, it draws random pairs from the predictions and references.
    """
    from semscale.cli.progress import progress_bars
    from semscale.matching.bertscore import calibrate as calibrate_model
    from semscale.matching.bertscore import token_encoder
    from semscale.report.terminal import print_document
    from semscale.store.atomic import check_writable, replacing
    from semscale.store.reading import open_table

    out, outputs = options.out, options.outputs
    if out.suffix.lower() != ".json":
        raise InputError(f"--out must end in .json, got {out.name!r}")
    check_writable(out, "out")
    outputs.check()
    table = open_table(options.corpus)
    texts, judged = options.columns.read(table)
    with progress_bars() as progress:
        encoder = token_encoder(options.name, options.precision, progress)
        calibration = calibrate_model(
            encoder,
            texts,
            name=table.file_name,
            judged=judged,
            n_pairs=options.n_pairs,
            seed=options.seed,
            progress=progress,
        )
    with replacing(out) as temporary:
        temporary.write_text(calibration.to_json(), encoding="utf-8", newline="\n")
    document = calibration.document()
    written = outputs.write(document)
    print_document(document, written=[("baseline", out), *written])


def _numbers(cells: list[Any]) -> Any:
    import numpy as np

    numbers = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if cell is None or not str(cell).strip():
            continue
        try:
            numbers[row] = float(str(cell).strip().replace(",", "."))
        except ValueError:
            raise InputError(
                "human", f"must be a number or empty, got {cell!r:.40} in data row {row + 1}"
            ) from None
    return numbers
