"""Files that commands write, and what they print."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import BeforeValidator, Field

from semscale.cli.process import echo
from semscale.errors import InputError, InterruptedRunError, ReplyError, StoppedByUserError
from semscale.settings import Option, Settings
from semscale.store.places import OutputPlace, Target, check_target, refuse_folder, target_of

if TYPE_CHECKING:
    import polars as pl

    from semscale.presentable import Presentable
    from semscale.report.document import Document

OUTPUT = "Output"
"""Title of the options' panel in the help."""

_WORTH_REPORTING = 10.0  # seconds of waiting


def _target(value: Any) -> Any:
    """Read an output's name: a path, a folder or a URL."""
    return target_of(value) if isinstance(value, str) else value


ResultsFile = Annotated[Target | None, BeforeValidator(_target), Option(OUTPUT, "FILE", type=str)]
"""File or folder that a command writes its results to; a command adds the description."""

CsvEscape = Annotated[
    bool,
    Field(
        description="Leave CSV texts that look like formulas as they are, without the protecting apostrophe."
    ),
    Option(OUTPUT, rare=True),
]
"""Setting of commands that write CSV."""


class Outputs(Settings):
    """Files that a command writes, and what it prints."""

    out: Annotated[
        ResultsFile,
        Field(description="Table with the results: .parquet, .csv, .jsonl, .xlsx or .sav, or a URL."),
    ] = None
    escape: CsvEscape = True
    report: Annotated[
        tuple[Path, ...],
        Field(description="Report with charts: .html, .md, .xlsx or .pptx."),
        Option(OUTPUT, "FILE"),
    ] = ()
    template: Annotated[
        Path | None,
        Field(description="PowerPoint file whose layouts, fonts and colours slides take."),
        Option(OUTPUT, "FILE", rare=True),
    ] = None
    figures: Annotated[
        Path | None,
        Field(description="Folder for the pictures, as SVG and PNG."),
        Option(OUTPUT, "FOLDER", rare=True),
    ] = None
    json_: Annotated[
        bool, Field(description="Print JSON instead of a table."), Option(OUTPUT, name="--json")
    ] = False

    signature: Annotated[
        bool,
        Field(description="Print the whole signature instead of its hash."),
        Option(OUTPUT, rare=True),
    ] = False

    @property
    def further(self) -> Mapping[str, Path | None]:
        """Files that only one command writes, by option."""
        return {}

    @property
    def documents(self) -> tuple[Path, ...]:
        """The files of the report."""
        return self.report

    @property
    def named(self) -> list[tuple[str, Path | str]]:
        """The files that were asked for, each after its kind; a URL without secrets."""
        out = str(self.out) if isinstance(self.out, OutputPlace) else self.out
        paths = [
            ("table", out),
            *(("report", path) for path in self.report),
            ("figures", self.figures),
            *self.further.items(),
        ]
        return [(name, path) for name, path in paths if path is not None]

    @property
    def of_forecast(self) -> Self:
        """The same without a table and pictures, of which a forecast has none."""
        return self.with_values(out=None, figures=None)

    def check(self) -> None:
        """Check, before anything is read or loaded, that all can be written.

        Raises:
            InputError: an ending, file or folder that does not serve, or one file for two things.
        """
        if self.out is not None:
            refuse_folder(self.out)
        self._check()

    def _check(self) -> None:
        from semscale.report.presenting import check_ending, check_template, picture_folder
        from semscale.store.atomic import check_folder, check_writable
        from semscale.store.writing import output_format

        if self.out is not None:
            output_format(self.out)
            check_target(self.out, "out")
        for path in self.documents:
            check_ending(path)
        check_template(self.template, [*self.documents, *self.further.values()])
        if (folder := picture_folder(self.documents, self.figures)) is not None:
            check_folder(folder, "figures")
        for path in self.documents:
            check_writable(path, "report")
        for name, further in self.further.items():
            if further is not None:
                check_writable(further, name)
        paths = [path.resolve() for _, path in self.named if isinstance(path, Path)]
        twice = [path for path in paths if paths.count(path) > 1]
        if twice:
            raise InputError(f"one file for each output, got {twice[0].name!r} for two: name another one")

    def check_run(self, file: str, *, restart: bool) -> None:
        """Check outputs and input of a run over a table.

        Args:
            file: the input.
            restart: whether finished parts of an earlier run are to be dropped.

        Raises:
            InputError: an output that does not serve, the input among them, or a restart where no table is
                written, so that nothing is kept.
        """
        self._check()  # a folder of partitions serves here
        if restart and self.out is None:
            raise InputError("--restart belongs to --out: without an output, no part of a run is stored")
        check_input(file, *self.report)

    @contextmanager
    def report_if_stopped(self) -> Iterator[None]:
        """Name the files that are written if the user stops the work that comes after the table.

        Raises:
            StoppedByUserError: stopped by the user.
        """
        before = [_modification_time(path) for path in self.report]
        try:
            yield
        except KeyboardInterrupt:
            if not self.named:
                raise StoppedByUserError(
                    "stopped while the summary was made; the same command starts again"
                ) from None
            times = zip(self.report, before, strict=True)
            missing = [path for path, time in times if _modification_time(path) == time]
            if self.figures is not None and len(missing) == len(self.report):
                missing = [self.figures, *missing]
            written = [path for _, path in self.named if path not in missing]
            states = [*_describe_paths(written, "written"), *_describe_paths(missing, "not finished")]
            raise StoppedByUserError(f"stopped: {', '.join(states)}; the same command starts again") from None

    def write_table(self, table: "pl.DataFrame") -> None:
        """Write the table with the results if it was asked for.

        Raises:
            InputError: more rows or longer texts than the format can hold, or a place that cannot be reached.
        """
        from semscale.store.writing import write_table

        if self.out is not None:
            write_table(table, self.out, escape=self.escape)

    def write(self, document: "Document") -> list[tuple[str, Path | str]]:
        """Write the reports and their figures if they were asked for.

        Returns:
            All files of the command, each after its kind, with the folder of figures that Markdown has.
        """
        from semscale.report.presenting import write_files

        folder = write_files(document, self.documents, self.figures, self.template)
        return self.named if folder in {None, self.figures} else [*self.named, ("figures", folder)]


def present(
    summary: "Presentable",
    outputs: Outputs,
    *,
    stopped: str | None = None,
    failed: str | None = None,
    seconds: float = 0.0,
    facts: Mapping[str, object] | None = None,
) -> None:
    """Write the report of a summary, and print its brief form or its JSON to standard output.

    Args:
        summary: what was measured.
        outputs: files to write, and files that were written.
        stopped: why the run ended early, if it did.
        failed: why no call brought a reply, if all failed.
        seconds: how long the calls took.
        facts: further fields of the JSON.

    Raises:
        ReplyError: no call brought a reply; everything is written before.
        InterruptedRunError: the run ended early; likewise.
    """
    document = summary.document()
    written = outputs.write(document)
    if outputs.json_:
        from semscale.report.json_encoding import to_json

        files = {
            "out": dict(written).get("table"),
            "report": outputs.report,
            "figures": dict(written).get("figures"),
            **outputs.further,
        }
        echo(to_json(summary, document, {**files, **(facts or {})}))
    else:
        from semscale.report.terminal import print_document

        print_document(document, written=written, whole_signature=outputs.signature)
    if failed:
        duration = f" in {seconds:,.0f} s" if seconds >= _WORTH_REPORTING else ""
        raise ReplyError(f"no call brought a usable reply{duration}, most often because: {failed}")
    if stopped:
        raise InterruptedRunError(stopped)


def _modification_time(path: Path | None) -> int | None:
    return path.stat().st_mtime_ns if path is not None and path.exists() else None


def _describe_paths(paths: Sequence[Path | str], state: str) -> list[str]:
    if not paths:
        return []
    return [f"{' and '.join(map(str, paths))} {'is' if len(paths) == 1 else 'are'} {state}"]


def check_input(file: str, *outputs: Path | None, name: str = "report") -> None:
    """Check that an input is named, and that no output, called ``name``, would overwrite it.

    Raises:
        InputError: it is not, or one would.
    """
    if not file:
        raise InputError("FILE must not be empty: name a file, or - for standard input")
    for output in outputs:
        if output is not None and output.exists() and Path(file).exists() and output.samefile(file):
            raise InputError(name, f"must not be the input itself, got {output.name!r}")
