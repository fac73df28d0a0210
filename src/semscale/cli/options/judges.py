"""Options that choose the judges, and the file of a panel."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from semscale.cli.options.groups import option_group
from semscale.cli.options.panels import option, setting
from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.judging.judge import Judge
    from semscale.judging.panel import Panel
    from semscale.types import Progress

_JUDGE = "Judge"
_PLACES = ("model", "base_url", "engine", "key_variable")


@option_group
class JudgeChoice:
    """Who judges, and how.

    Attributes:
        model: a chat model's name.
        base_url: of an OpenAI-compatible endpoint.
        panel: a YAML file with ``judges``, a list of models with settings of their own, which go before the
            options.
        template: of every judge, as ``Judge`` takes it, like all that follows.
        rubric: the text, or ``@`` and the name of a file that holds it.
        order: of score and explanation.
        samples: replies for each row.
        temperature: of the replies; 0 for one of each row and 1 for several unless given.
        max_tokens: length at which a reply is cut.
        method: prose, or decision for typed decisions.
        criteria: a YAML file with a rubric of several criteria, in the template's place.
    """

    model: Annotated[str | None, option(_JUDGE, "A chat model's name, or local.", "MODEL")] = None
    base_url: Annotated[
        str | None, option(_JUDGE, "An OpenAI-compatible endpoint; keys come from OPENAI_API_KEY.", "URL")
    ] = None
    panel: Annotated[Path | None, option(_JUDGE, "YAML with judges: a list of models.", "FILE")] = None
    template: Annotated[
        str, setting(_JUDGE, "likert, continuous, true_false, true_false_uncertain, or a scale.", "NAME")
    ] = "likert"
    rubric: Annotated[
        str | None, option(_JUDGE, "Your own words on what is judged; @FILE reads them.", "TEXT")
    ] = None
    order: Annotated[str, setting(_JUDGE, "score-first, explanation-first or score-only.", "ORDER")] = (
        "score-first"
    )
    samples: Annotated[int, setting(_JUDGE, "Replies for each row.")] = 1
    temperature: Annotated[
        float | None, option(_JUDGE, "Temperature of the replies; 0, or 1 for several samples.", "NUMBER")
    ] = None
    max_tokens: Annotated[int, setting(_JUDGE, "Tokens at which a reply is cut.")] = 1024
    method: Annotated[
        str,
        setting(_JUDGE, "prose, or decision: a probability for each level, and nothing to read.", "METHOD"),
    ] = "prose"
    criteria: Annotated[
        Path | None,
        option(_JUDGE, "YAML with a rubric: criteria with question, levels and weight.", "FILE"),
    ] = None

    def check(self) -> None:
        """Check that either a model or a panel is named.

        Raises:
            InputError: neither a model nor a panel, or both; an address beside a panel; or a template beside
                criteria.
        """
        if self.criteria is not None and (self.rubric is not None or self.template != "likert"):
            raise InputError("--criteria has its own questions and levels: leave --template and --rubric out")
        if (self.model is None) == (self.panel is None):
            said = "neither" if self.model is None else "both"
            raise InputError(f"name a judge with --model or several with --panel, got {said}")
        if self.panel is not None and self.base_url is not None:
            # The address is not repeated: it may have a password in it.
            raise InputError(
                "--base-url goes with --model; write base_url beside each model of the panel's file"
            )

    def load(self, progress: "Progress | None" = None) -> "Judge | Panel":
        """Load the judges.

        Raises:
            InputError: the file cannot be read or names no judges, or a setting is wrong.
        """
        from semscale.judging.panel import Panel

        settings = self._settings
        if self.panel is None:
            return _judge({"model": self.model, "base_url": self.base_url}, settings, progress)
        return Panel([_judge(entry, settings, progress) for entry in read_panel(self.panel)])

    @property
    def _settings(self) -> dict[str, Any]:
        return {
            "template": self.template,
            "rubric": read_rubric(self.rubric),
            "order": self.order,
            "samples": self.samples,
            "temperature": "auto" if self.temperature is None else self.temperature,
            "max_tokens": self.max_tokens,
            "method": self.method,
            "criteria": self.criteria,
        }


def read_rubric(written: str | None) -> str | None:
    """Return the rubric; ``@FILE`` reads it from a file.

    Raises:
        InputError: the file cannot be read.
    """
    if written is None or not written.startswith("@"):
        return written
    try:
        return Path(written[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not UTF-8"
        raise InputError(f"rubric file {written[1:]!r} cannot be read: {why}") from None


def read_panel(path: Path) -> list[dict[str, Any]]:
    """Read a panel's file.

    Raises:
        InputError: it cannot be read, is no YAML, or does not list two judges with a model each.
    """
    from semscale.yaml_reading import parse_yaml

    try:
        written = path.read_bytes()
    except OSError as error:
        raise InputError(f"panel file {str(path)!r} cannot be read: {error.strerror or error}") from None
    content = parse_yaml(written, source=str(path))
    judges = content.get("judges") if isinstance(content, dict) else None
    fits = isinstance(judges, list) and all(isinstance(j, dict) and j.get("model") for j in judges)
    if not fits or len(judges or []) < 2:  # noqa: PLR2004
        raise InputError(
            f"panel file {str(path)!r} must hold judges: a list of two or more, each with a model, such as "
            "judges: [{model: one}, {model: other, template: likert}]"
        )
    return [{str(name): value for name, value in judge.items()} for judge in judges or []]


def _judge(entry: Mapping[str, Any], settings: Mapping[str, Any], progress: "Progress | None") -> "Judge":
    from semscale.chat.loading import load_chat_model
    from semscale.judging.judge import Judge, JudgeSettings
    from semscale.messages import unknown_name

    own = {name: value for name, value in entry.items() if name not in _PLACES}
    for name in own:
        if name not in JudgeSettings.__annotations__:
            raise unknown_name("setting of a judge", name, [*_PLACES, *JudgeSettings.__annotations__])
    places = {name: entry[name] for name in _PLACES[1:] if entry.get(name) is not None}
    model = load_chat_model(entry["model"], progress=progress, **places)
    return Judge(model, **{**settings, **own})
