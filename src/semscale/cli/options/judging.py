"""Options of ``semscale judge`` and of ``judge audit``, ``compare`` and ``label``; the file of a panel."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from semscale.cli.options.calls import CallOptions
from semscale.cli.options.groups import option_group, without
from semscale.cli.options.panels import COLUMNS, OUTPUT, RUN, column, option, setting
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs, written_as
from semscale.errors import InputError
from semscale.judging.settings import JUDGE, JudgeColumns, JudgeSettings

if TYPE_CHECKING:
    from semscale.judging.judge import Judge, Panel
    from semscale.types import Progress

_MODEL_KEYS = ("model", "base_url", "engine", "key_variable")


@option_group
class JudgeChoice:
    """The judges.

    Attributes:
        model: a chat model's name.
        base_url: of an OpenAI-compatible endpoint.
        panel: a YAML file with ``judges``, a list of models with settings of their own, which take precedence
            over the options.
    """

    model: Annotated[str | None, option(JUDGE, "A chat model's name, or local.", "MODEL")] = None
    base_url: Annotated[
        str | None, option(JUDGE, "An OpenAI-compatible endpoint; keys come from OPENAI_API_KEY.", "URL")
    ] = None
    panel: Annotated[Path | None, option(JUDGE, "YAML with judges: a list of models.", "FILE")] = None

    def check(self, settings: JudgeSettings) -> None:
        """Check that either a model or a panel is named.

        Raises:
            InputError: neither a model nor a panel, or both; an address with a panel; or a template with
                criteria.
        """
        if settings.criteria is not None and (settings.rubric is not None or settings.template != "likert"):
            raise InputError("--criteria has its own questions and levels: leave --template and --rubric out")
        if (self.model is None) == (self.panel is None):
            named = "neither" if self.model is None else "both"
            raise InputError(f"name a judge with --model or several with --panel, got {named}")
        if self.panel is not None and self.base_url is not None:
            # The address is not repeated: it may have a password in it.
            raise InputError(
                "--base-url goes with --model; write base_url beside each model of the panel's file"
            )

    def load(self, settings: JudgeSettings, progress: "Progress | None" = None) -> "Judge | Panel":
        """Load the judges.

        Raises:
            InputError: the file cannot be read or names no judges, or a setting is wrong.
        """
        from semscale.judging.judge import Panel

        shared = {name: getattr(settings, name) for name in JudgeSettings.model_fields}
        shared["rubric"] = read_rubric(settings.rubric)
        if self.panel is None:
            return _judge({"model": self.model, "base_url": self.base_url}, shared, progress)
        return Panel([_judge(entry, shared, progress) for entry in read_panel(self.panel)])


@option_group
class JudgeOptions:
    """All options of ``semscale judge``."""

    file: File
    columns: JudgeColumns
    judges: JudgeChoice
    settings: JudgeSettings
    calls: CallOptions
    outputs: Annotated[Outputs, written_as("Judged table")]
    table: RowOptions
    run: RunOptions


@option_group
class AuditOptions:
    """All options of ``semscale judge audit``."""

    file: File
    columns: Annotated[JudgeColumns, without("by", "inclusion")]
    judges: JudgeChoice
    settings: Annotated[JudgeSettings, without("samples")]
    rows: Annotated[int, setting(RUN, "Rows to audit, from the first.")] = 50
    calls: CallOptions
    outputs: Annotated[Outputs, without("out")]
    table: RowOptions
    run: Annotated[RunOptions, without("part_rows", "restart")]


@option_group
class SystemColumnOptions:
    """The columns of a comparison: what was asked, and the systems' answers."""

    question: Annotated[str, column("What was asked.")]
    a: Annotated[str | None, column("Answers of the first system.")] = None
    b: Annotated[str | None, column("Answers of the second system.")] = None
    system: Annotated[
        list[str] | None,
        option(COLUMNS, "A further system and its column; can be repeated.", "NAME=COLUMN"),
    ] = None
    reference: Annotated[list[str] | None, column("Answers known to be right; can be repeated.")] = None

    @property
    def systems(self) -> dict[str, str]:
        """The systems' names with their columns.

        Raises:
            InputError: fewer than two, or one name or column twice.
        """
        from semscale.judging.comparing import system_names

        return system_names(self.a, self.b, self.system or ())


@option_group
class SystemCompareOptions:
    """All options of ``semscale judge compare``."""

    file: File
    columns: SystemColumnOptions
    judges: Annotated[JudgeChoice, without("panel")]
    settings: Annotated[JudgeSettings, without("template", "criteria", "samples")]
    calls: CallOptions
    outputs: Annotated[Outputs, written_as("Table of all pairs")]
    table: RowOptions
    run: Annotated[RunOptions, without("part_rows", "restart")]


@option_group
class JudgeLabelOptions:
    """All options of ``semscale judge label``."""

    file: File
    columns: Annotated[JudgeColumns, without("human", "by", "inclusion")]
    judges: Annotated[JudgeChoice, without("panel")]
    settings: JudgeSettings
    n: Annotated[int, setting(RUN, "Rows to label.")] = 50
    alike: Annotated[bool, option(RUN, "Draw all rows alike, whatever the judge is unsure of.")] = False
    out: Annotated[Path, option(OUTPUT, "The table to fill in: .csv, .xlsx, .jsonl or .parquet.", "FILE")]
    calls: CallOptions
    table: RowOptions
    seed: Annotated[int, setting(RUN, "Seed of the draw.")] = 0


def read_rubric(text: str | None) -> str | None:
    """Return the rubric; ``@FILE`` reads it from a file.

    Raises:
        InputError: the file cannot be read.
    """
    if text is None or not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise InputError(f"rubric file {text[1:]!r} cannot be read: {reason}") from None


def read_panel(path: Path) -> list[dict[str, Any]]:
    """Read a panel's file.

    Raises:
        InputError: it cannot be read, is no YAML, or does not list two judges with a model each.
    """
    from semscale.yaml_reading import parse_yaml

    try:
        file = path.read_bytes()
    except OSError as error:
        raise InputError(f"panel file {str(path)!r} cannot be read: {error.strerror or error}") from None
    content = parse_yaml(file, source=str(path))
    judges = content.get("judges") if isinstance(content, dict) else None
    fits = isinstance(judges, list) and all(isinstance(j, dict) and j.get("model") for j in judges)
    if not fits or len(judges or []) < 2:  # noqa: PLR2004
        raise InputError(
            f"panel file {str(path)!r} must hold judges: a list of two or more, each with a model, such as "
            "judges: [{model: one}, {model: other, template: likert}]"
        )
    return [{str(name): value for name, value in judge.items()} for judge in judges or []]


def _judge(entry: Mapping[str, Any], shared: Mapping[str, Any], progress: "Progress | None") -> "Judge":
    from semscale.chat.loading import load_chat_model
    from semscale.judging.judge import Judge
    from semscale.messages import unknown_name

    settings = {name: value for name, value in entry.items() if name not in _MODEL_KEYS}
    for name in settings:
        if name not in JudgeSettings.model_fields:
            raise unknown_name("setting of a judge", name, [*_MODEL_KEYS, *JudgeSettings.model_fields])
    options = {name: entry[name] for name in _MODEL_KEYS[1:] if entry.get(name) is not None}
    model = load_chat_model(entry["model"], progress=progress, **options)
    return Judge(model, **{**shared, **settings})
