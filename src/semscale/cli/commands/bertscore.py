"""The command ``semscale bertscore``: find a model's best layer and its baseline for unrelated texts."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semscale.cli.options.groups import grouped, option_group, without
from semscale.cli.options.model import StatePrecisionName
from semscale.cli.outputs import Outputs
from semscale.cli.single_values import CommandGroup
from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.matching.bertscore import JudgedPairs
    from semscale.store.table import Table

app = CommandGroup(help="BERTScore: calibrate a model's layer and baseline.", no_args_is_help=True)

_BATCH = 10_000


@app.callback()
def _group() -> None:
    pass


@option_group
class TextColumnOptions:
    """Columns of the texts that pairs are drawn from, and of pairs that people have judged."""

    text: Annotated[str | None, typer.Option(metavar="COL", help="Column of the texts.")] = None
    prediction: Annotated[str | None, typer.Option(metavar="COL", help="Column of predictions.")] = None
    reference: Annotated[str | None, typer.Option(metavar="COL", help="Column of references.")] = None
    human: Annotated[
        str | None, typer.Option(metavar="COL", help="Column of human scores, the higher the more alike.")
    ] = None

    def check(self) -> None:
        """Check that the columns say what is to be drawn from.

        Raises:
            InputError: no texts, or one of the three columns of judged pairs alone.
        """
        given = [self.prediction, self.reference, self.human]
        if any(given) and not all(given):
            raise InputError("--prediction, --reference and --human belong together: name all three columns")
        if self.text is None and not any(given):
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
                there = column in batch.columns
                cells[column] += batch[column].to_list() if there else [None] * len(batch)
        if self.prediction is None or self.reference is None or self.human is None:
            return cells[str(self.text)], None
        judged = JudgedPairs(cells[self.prediction], cells[self.reference], _numbers(cells[self.human]))
        texts = cells[self.text] if self.text else cells[self.prediction] + cells[self.reference]
        return texts, judged


@option_group
class CalibrationOptions:
    """All options of ``semscale bertscore calibrate``."""

    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model's name, folder, or name on the hub.")]
    corpus: Annotated[str, typer.Option(metavar="FILE", help="Table with texts of the kind to be scored.")]
    out: Annotated[Path, typer.Option(metavar="FILE", help="Write the baseline here (.json), for rescale.")]
    columns: TextColumnOptions
    pairs: Annotated[int, typer.Option(min=100, help="How many unrelated pairs to draw.")] = 20_000
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draw and of the intervals.")] = 0
    precision: StatePrecisionName = "exact"
    outputs: Annotated[Outputs, without("out", "json")]


@app.command()
@grouped
def calibrate(options: CalibrationOptions) -> None:
    """Score random pairs at every layer, and pairs that people have judged, if there are some.

    Without --text the predictions and references are themselves the texts that pairs are drawn from.
    """
    from semscale.cli.progress import progress_bars
    from semscale.matching.bertscore import calibrate as calibrate_model
    from semscale.matching.bertscore import token_encoder
    from semscale.report.terminal import print_document
    from semscale.store.atomic import check_writable, replacing
    from semscale.store.reading import open_table

    out, outputs = options.out, options.outputs
    options.columns.check()
    if out.suffix.lower() != ".json":
        raise InputError(f"--out must end in .json, got {out.name!r}")
    check_writable(out, "out")
    outputs.check()
    table = open_table(options.corpus)
    texts, judged = options.columns.read(table)
    with progress_bars() as progress:
        encoder = token_encoder(options.model, options.precision, progress)
        calibration = calibrate_model(
            encoder,
            texts,
            name=Path(table.name).name,
            judged=judged,
            n_pairs=options.pairs,
            seed=options.seed,
            progress=progress,
        )
    with replacing(out) as temporary:
        temporary.write_text(calibration.baseline_json(), encoding="utf-8", newline="\n")
    document = calibration.document()
    written = outputs.write(document)
    print_document(document, written={"baseline": out, **written})


def _numbers(cells: list[Any]) -> Any:  # noqa: ANN401 - an array, without loading NumPy for the help
    import numpy as np

    numbers = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if cell is None or not str(cell).strip():
            continue
        try:
            numbers[row] = float(str(cell).strip().replace(",", "."))
        except ValueError:
            raise InputError(
                f"human must be a number or empty, got {cell!r:.40} in data row {row + 1}"
            ) from None
    return numbers
