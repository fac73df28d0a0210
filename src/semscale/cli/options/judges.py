"""The judges that a command's options or a panel's file choose."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semscale.errors import InputError
from semscale.messages import unknown_name

if TYPE_CHECKING:
    from semscale.judging.judge import Judge
    from semscale.judging.panel import Panel
    from semscale.types import Progress

_PLACES = ("model", "base_url", "engine", "key_variable")


@dataclass(frozen=True)
class JudgeChoice:
    """Who judges, and how.

    Attributes:
        model: a chat model's name.
        base_url: of an OpenAI-compatible endpoint.
        panel: a YAML file with ``judges``, a list of models with settings of their own.
        settings: of every judge, as ``Judge`` takes them; a panel's file goes before them.
    """

    model: str | None
    base_url: str | None = None
    panel: Path | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Check that it is said who judges.

        Raises:
            InputError: neither a model nor a panel, or both; or an address beside a panel.
        """
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

        if self.panel is None:
            return self._judge({"model": self.model, "base_url": self.base_url}, progress)
        return Panel([self._judge(entry, progress) for entry in read_panel(self.panel)])

    def _judge(self, entry: Mapping[str, Any], progress: "Progress | None") -> "Judge":
        from semscale.chat.loading import load_chat_model
        from semscale.judging.judge import Judge
        from semscale.judging.judge_settings import JudgeSettings

        own = {name: value for name, value in entry.items() if name not in _PLACES}
        for name in own:
            if name not in JudgeSettings.__annotations__:
                raise unknown_name("setting of a judge", name, [*_PLACES, *JudgeSettings.__annotations__])
        places = {name: entry[name] for name in _PLACES[1:] if entry.get(name) is not None}
        model = load_chat_model(entry["model"], progress=progress, **places)
        return Judge(model, **{**self.settings, **own})


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
