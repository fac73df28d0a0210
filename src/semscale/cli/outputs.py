"""The files that commands write, and what they print."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from semscale.errors import InputError
from semscale.presentable import Presentable
from semscale.report.json_encoding import to_json
from semscale.report.presenting import write_files
from semscale.report.render.writing import check_ending
from semscale.store.atomic import check_folder, check_writable
from semscale.store.writing import output_format

if TYPE_CHECKING:
    from semscale.report.document.document import Document


@dataclass(frozen=True)
class Outputs:
    """Files that a command writes.

    Attributes:
        out: the input's rows with what was found.
        report: a page, Markdown or a workbook, by its ending.
        figures: folder for the figures of the report, as SVG and PNG.
        others: files of one command alone, by the option that names them.
    """

    out: Path | None = None
    report: Path | None = None
    figures: Path | None = None
    others: Mapping[str, Path | None] = field(default_factory=dict)

    @property
    def named(self) -> dict[str, Path]:
        """The files that were asked for, by what they are."""
        paths = {"table": self.out, "report": self.report, "figures": self.figures, **self.others}
        return {name: path for name, path in paths.items() if path is not None}

    def check(self) -> None:
        """Check, before anything is read or loaded, that all can be written.

        Raises:
            InputError: an ending, file or folder that does not serve, or one file for two things.
        """
        if self.out is not None:
            output_format(self.out)
            check_writable(self.out, "out")
        if self.report is not None:
            check_ending(self.report)
            check_writable(self.report, "report")
        if self.figures is not None:
            check_folder(self.figures, "figures")
        for name, path in self.others.items():
            if path is not None:
                check_writable(path, name)
        places = [path.resolve() for path in self.named.values()]
        twice = [path for path in places if places.count(path) > 1]
        if twice:
            raise InputError(f"one file for each output, got {twice[0].name!r} for two: name another one")

    def check_restart(self, *, restart: bool) -> None:
        """Check that there is something that a run can drop.

        Raises:
            InputError: no table is written, so that nothing is kept.
        """
        if restart and self.out is None:
            raise InputError("--restart belongs to --out: without an output nothing of a run is kept")

    def check_input(self, file: str) -> None:
        """Check that an input is named, and that the report is not to take its place.

        Raises:
            InputError: it is not, or it is.
        """
        check_input(file, self.report)

    def write(self, document: "Document") -> None:
        """Write the report and its figures, as far as they were asked for."""
        write_files(document, self.report, self.figures)


def present(summary: Presentable, outputs: Outputs, *, json: bool, **further: object) -> None:
    """Write the report of a summary, and print its brief form or its JSON to standard output.

    Args:
        summary: what was measured.
        outputs: files to write, and files that were written.
        json: whether JSON is printed instead of tables.
        further: what JSON has beside the summary.
    """
    document = summary.document()
    outputs.write(document)
    if not json:
        from semscale.report.render.terminal import print_document

        print_document(document, written=outputs.named)
        return
    files = {"out": outputs.out, "report": outputs.report, "figures": outputs.figures, **outputs.others}
    typer.echo(to_json(summary, cautions=document.cautions, **files, **further))


def check_input(file: str, report: Path | None) -> None:
    """Check that an input is named, and that the report is not to take its place.

    Raises:
        InputError: it is not, or it is.
    """
    if not file:
        raise InputError("FILE must not be empty: name a file, or - for standard input")
    if report is not None and report.exists() and Path(file).exists() and report.samefile(file):
        raise InputError(f"report must not be the input itself, got {report.name!r}")
