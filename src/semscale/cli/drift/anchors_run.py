"""Runs of ``semscale drift anchors``: freeze anchors, read them again, and show what is stored."""

from pathlib import Path
from typing import TYPE_CHECKING

from semscale.cli.drift.anchor_options import AnchorOptions
from semscale.cli.drift.meter import drift_meter
from semscale.cli.drift.run_lookup import dataset_of
from semscale.cli.progress import progress_bars
from semscale.drift.ruler.anchor_file import read_anchors
from semscale.drift.ruler.anchors_summary import AnchorsSummary, summarize_anchors
from semscale.drift.ruler.checking import freeze_anchors, read_again
from semscale.drift.ruler.text_ruler import TextRuler
from semscale.history.anchors.anchor_set import AnchorSet

if TYPE_CHECKING:
    from semscale.history.history import History


def anchors_of(options: AnchorOptions) -> AnchorsSummary:
    """Freeze a file of anchors or read the latest set again, where either is asked, and sum up the sets.

    Raises:
        SemscaleError: what the history, the file or the model cannot do.
    """
    options.outputs.check()
    if options.file is None:
        with options.history.open() as history:
            dataset = dataset_of(history, options.history.dataset)
            summary = summarize_anchors(history, dataset)
            if not options.again:
                return summary
            history.check_writable()
            with progress_bars() as progress:
                read_again(history, summary.sets[-1].anchors, _ruler(options), progress=progress)
            return summarize_anchors(history, dataset)
    table = options.table.open(options.file)
    pairs = read_anchors(table, options.columns.columns)
    name = options.name or Path(options.file).stem
    with options.history.open() as history:
        anchors = AnchorSet(dataset_of(history, options.history.dataset), name, pairs)
        _freeze(history, anchors, options)
        return summarize_anchors(history, anchors.dataset)


def _freeze(history: "History", anchors: AnchorSet, options: AnchorOptions) -> None:
    history.check_writable()
    with progress_bars() as progress:
        freeze_anchors(history, anchors, _ruler(options), progress=progress)


def _ruler(options: AnchorOptions) -> TextRuler:
    return TextRuler(drift_meter(options.measuring, options.embedder, options.seed))
