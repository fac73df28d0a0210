"""Options of ``semscale match`` and ``semscale match evaluate``."""

from typing import Annotated, Literal

import typer

from semscale.cli.options.cluster import ClusterOptions
from semscale.cli.options.corpus import MATCHING, CorpusOptions
from semscale.cli.options.groups import instead, option_group, refuse_given, without
from semscale.cli.options.model import ModelOptions
from semscale.cli.options.panels import RUN, column, option, setting
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs, written_as
from semscale.errors import InputError

Method = Annotated[str, setting(MATCHING, "How to match.", "METHOD")]


_OF_CONTEXT = ("file", "columns", "nli", "nli_labels", "outputs", "model", "table", "run")
"""Options of ``semscale match`` that serve with passages, too."""


@option_group
class MatchColumnOptions:
    """The columns, as ``MatchColumns`` takes them.

    Raises:
        InputError: neither references nor passages are named, or both.
    """

    prediction: Annotated[str, column("The texts to be judged.")]
    reference: Annotated[
        list[str] | None,
        column('What they should say: texts, or lists like ["one", "other"]; can be repeated.'),
    ] = None
    context: Annotated[
        list[str] | None,
        column(
            "Passages that should back each sentence, in the place of references: texts or lists; can be "
            "repeated."
        ),
    ] = None
    by: Annotated[str | None, column("Names of groups to compare.")] = None

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
    method: Method = "calibrated"
    corpus: CorpusOptions
    explain: Annotated[
        bool, option(MATCHING, "Show which words and findings cost most; not with cosine.")
    ] = False
    guard: Annotated[
        list[str] | None,
        option(
            MATCHING,
            "What a guard does: negation, opposite, number, name, roles, quantity, certainty, exclusivity, "
            "order, condition or all, =off, =warn or =weigh; can be repeated.",
            "GUARD=MODE",
        ),
    ] = None
    recall_share: Annotated[
        float | None,
        option(
            MATCHING,
            "For calibrated and entailment: 0 asks whether the reference backs all of the prediction, 1 "
            "whether the prediction says all of the reference.",
            "SHARE",
        ),
    ] = None
    empty: Annotated[
        Literal["missing", "wrong"],
        option(MATCHING, "An empty prediction is left out, or wrong: its score is 0.", shown=True),
    ] = "missing"
    layer: Annotated[int | None, option(MATCHING, "Layer that bertscore compares.", "NUMBER")] = None
    nli: Annotated[
        str | None,
        option(
            MATCHING,
            "For entailment or --context, a model of entailment: a folder, or a name on the hub.",
            "MODEL",
        ),
    ] = None
    nli_labels: Annotated[
        str | None,
        option(
            MATCHING,
            "Order of that model's classes, where its files do not say it, such as "
            "entailment,neutral,contradiction.",
            "LABELS",
        ),
    ] = None
    outputs: Annotated[Outputs, written_as("Matched table")]
    model: ModelOptions
    table: RowOptions
    run: RunOptions
    cluster: ClusterOptions

    def __post_init__(self) -> None:
        if self.columns.reference:
            return
        refuse_given("--reference, which is not given", self, but=_OF_CONTEXT)
        if self.nli is None and self.nli_labels is not None:
            raise InputError("nli_labels belongs to --nli, which is not given")
        if self.nli is not None and self.model.name is not None:
            raise InputError("--model belongs to --context without --nli, which has a model of its own")

    @property
    def nli_label_list(self) -> list[str] | None:
        """Classes of the model of entailment in their order, where they were stated."""
        return None if self.nli_labels is None else self.nli_labels.split(",")


@option_group
class EvaluationOptions:
    """All options of ``semscale match evaluate``."""

    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="Holds true_false.json, short.json and the others.")
    ]
    method: Method = "cliniqlink-doc"
    corpus: CorpusOptions
    outputs: Annotated[Outputs, written_as("Table of items")]
    model: Annotated[ModelOptions, without("engine", "device", "base_url", "no_cache")]
    run: Annotated[
        RunOptions,
        without("interval", "part_rows", "restart"),
        instead(seed=setting(RUN, "Seed of what is drawn.")),
    ]
