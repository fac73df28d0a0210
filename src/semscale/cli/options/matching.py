"""Options of ``semscale match`` and ``semscale match evaluate``."""

from typing import Annotated

import typer

from semscale.cli.options.cluster import ClusterOptions
from semscale.cli.options.corpus import CorpusOptions
from semscale.cli.options.groups import instead, option_group, refuse_given, setting_of, without
from semscale.cli.options.model import ModelOptions
from semscale.cli.options.panels import RUN, setting
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs, written_as
from semscale.errors import InputError
from semscale.matching.settings import GroundingColumns, MatchColumns, MatchSettings

_OF_CONTEXT = ("file", "columns", "nli", "nli_labels", "outputs", "model", "table", "run")
"""Options of ``semscale match`` that serve with passages, too."""


@option_group
class MatchColumnOptions:
    """The columns; of references and passages one is named.

    Raises:
        InputError: neither references nor passages are named, or both.
    """

    prediction: Annotated[str, setting_of(MatchColumns, "prediction")]
    reference: Annotated[list[str] | None, setting_of(MatchColumns, "reference")] = None
    context: Annotated[list[str] | None, setting_of(GroundingColumns, "context")] = None
    by: Annotated[str | None, setting_of(MatchColumns, "by")] = None

    def __post_init__(self) -> None:
        if not self.reference and not self.context:
            raise InputError(
                "reference must name the column with what the predictions should say, or --context the one "
                "with passages that should back them"
            )
        if self.reference and self.context:
            raise InputError("context needs no --reference: name passages or references, not both")


@option_group
class MatchOptions:
    """All options of ``semscale match``.

    Raises:
        InputError: an option without the one that it belongs to.
    """

    file: File
    columns: MatchColumnOptions
    matching: MatchSettings
    corpus: CorpusOptions
    outputs: Annotated[Outputs, written_as("Matched table")]
    model: ModelOptions
    table: RowOptions
    run: RunOptions
    cluster: ClusterOptions

    def __post_init__(self) -> None:
        if self.columns.reference:
            return
        refuse_given("--reference, which is not given", self, but=_OF_CONTEXT)
        if self.matching.nli is None and self.matching.nli_labels is not None:
            raise InputError("nli_labels belongs to --nli, which is not given")
        if self.matching.nli is not None and self.model.name is not None:
            raise InputError("--model belongs to --context without --nli, which has a model of its own")


@option_group
class EvaluationOptions:
    """All options of ``semscale match evaluate``."""

    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="Holds true_false.json, short.json and the others.")
    ]
    method: Annotated[str, setting_of(MatchSettings, "method")] = "cliniqlink-doc"
    corpus: CorpusOptions
    outputs: Annotated[Outputs, written_as("Table of items")]
    model: Annotated[ModelOptions, without("engine", "device", "base_url", "no_cache")]
    run: Annotated[
        RunOptions,
        without("interval", "part_rows", "restart"),
        instead(seed=setting(RUN, "Seed of what is drawn.")),
    ]
