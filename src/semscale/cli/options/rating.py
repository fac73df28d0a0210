"""Options of ``semscale rate``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from semscale.cli.options.calls import CallOptions
from semscale.cli.options.cluster import ClusterOptions
from semscale.cli.options.groups import option_group, setting_of, without
from semscale.cli.options.model import ModelOptions
from semscale.cli.options.panels import COLUMNS, column, option
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs, written_as
from semscale.errors import InputError
from semscale.messages import did_you_mean
from semscale.rating.settings import RATING, RaterSettings, RatingColumns

if TYPE_CHECKING:
    from semscale.store.table import Table


@option_group
class RatingColumnOptions:
    """The columns of texts, of groups and beside them."""

    text: Annotated[
        list[str] | None,
        column("The texts to rate, can be repeated; the only open text unless given."),
    ] = None
    by: Annotated[list[str] | None, setting_of(RatingColumns, "by")] = None
    weight: Annotated[str | None, setting_of(RatingColumns, "weight")] = None
    respondent: Annotated[str | None, setting_of(RatingColumns, "respondent")] = None
    human: Annotated[str | None, setting_of(RatingColumns, "human")] = None
    inclusion: Annotated[str | None, setting_of(RatingColumns, "inclusion")] = None
    human_range: Annotated[tuple[float, float] | None, setting_of(RatingColumns, "human_range")] = None

    @property
    def texts(self) -> list[str]:
        """The columns of texts that were named."""
        return self.text or []

    def of(self, table: "Table") -> "tuple[Table, RatingColumns]":
        """Return the columns of a table, and the table with labels as groups where it has labels of values.

        Raises:
            InputError: a column is to be two things, or does not exist.
        """
        from semscale.store.deriving.derived_columns import by_label

        table, by = by_label(table, self.by or ())
        others = {name: value for name, value in vars(self).items() if name not in {"text", "by"}}
        return table, RatingColumns(text=self.texts[0], by=tuple(by), **others)


Scale = Annotated[
    str, option(RATING, "A scale's name (see [bold]semscale scales list[/bold]) or YAML file.", "SCALE")
]


@option_group
class RatingMethodOptions:
    """Whether a chat model rates the texts, too.

    Attributes:
        method: ``ssr`` for similarity alone, ``decision`` for decisions of a chat model beside it.
        chat_model: who decides.
        chat_url: its endpoint.
    """

    method: Annotated[
        Literal["ssr", "decision"],
        option(RATING, "ssr, or decision: a chat model rates, too, and stands beside it.", shown=True),
    ] = "ssr"
    chat_model: Annotated[str | None, option(RATING, "The chat model of --method decision.", "NAME")] = None
    chat_url: Annotated[str | None, option(RATING, "Its OpenAI-compatible endpoint.", "URL")] = None

    def __post_init__(self) -> None:
        if self.method == "ssr" and (self.chat_model is not None or self.chat_url is not None):
            raise InputError("--chat-model and --chat-url belong to --method decision")
        if self.method == "decision" and self.chat_model is None:
            raise InputError("--method decision needs --chat-model NAME: who decides")


@option_group
class RatingOptions:
    """All options of ``semscale rate``."""

    file: File
    columns: RatingColumnOptions
    labels: Annotated[
        Path | None,
        option(
            COLUMNS,
            "A filled sheet of [bold]semscale label[/bold], in the place of --human and --inclusion.",
            "FILE",
        ),
    ] = None
    scale: Annotated[
        list[str],
        option(
            RATING,
            "A scale's name (see [bold]semscale scales list[/bold]) or YAML file; with several texts one for "
            "all, or one each as COLUMN=SCALE.",
            "SCALE",
        ),
    ]
    rating: RaterSettings
    deciding: RatingMethodOptions
    outputs: Annotated[Outputs, written_as("Rated table")]
    model: ModelOptions
    calls: Annotated[CallOptions, without("dry_run")]
    table: RowOptions
    run: RunOptions
    cluster: ClusterOptions


def scales_of(texts: Sequence[str], scales: Sequence[str]) -> dict[str, str]:
    """Give each column of texts its scale.

    Args:
        texts: names of the columns.
        scales: one for all, or one each as ``COLUMN=SCALE``.

    Raises:
        InputError: a column is named twice, has two scales or none, or a scale is for another column.

    Example:
        >>> scales_of(["why", "wish"], ["why=trust", "wish=quality"])
        {'why': 'trust', 'wish': 'quality'}
        >>> scales_of(["why", "wish"], ["trust"])
        {'why': 'trust', 'wish': 'trust'}
    """
    twice = [text for text in texts if texts.count(text) > 1]
    if twice:
        raise InputError(f"text: column '{twice[0]}' is named twice; name it once")
    own: dict[str, str] = {}
    common: list[str] = []
    for scale in scales:
        # Where one title begins another, as "a" and "a=b" do, the longer one is meant.
        column = max((text for text in texts if scale.startswith(f"{text}=")), key=len, default=None)
        if column is None:
            common.append(scale)
        elif column in own:
            raise InputError(f"scale: column '{column}' has two scales; give it one")
        else:
            own[column] = scale.removeprefix(f"{column}=")
    if len(common) > 1:
        raise InputError(f"scale: {', '.join(common)} are for all texts; give one, or write COLUMN=SCALE")
    without = [text for text in texts if text not in own]
    if without and not common:
        raise InputError(f"scale: column '{without[0]}' has no scale; add --scale {without[0]}=SCALE")
    if common and not without:
        raise InputError(
            f"scale: {common[0]} is for no text, as each has its own; leave it out{_near(common[0], texts)}"
        )
    return {text: own.get(text) or common[0] for text in texts}


def _near(scale: str, texts: Sequence[str]) -> str:
    return did_you_mean(scale.partition("=")[0], texts) if "=" in scale else ""
