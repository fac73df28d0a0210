"""What a model's tokens cost, out of a table that the user can edit."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Self

from semscale.chat.replies import Usage
from semscale.errors import InputError

VARIABLE = "SEMSCALE_PRICES"
_SHIPPED = Path(__file__).with_name("prices.yaml")


@dataclass(frozen=True)
class Price:
    """What one model's tokens cost.

    Attributes:
        prompt: of one token in a prompt.
        completion: of one token in a reply.
        currency: of both, such as ``USD``.
    """

    prompt: float
    completion: float
    currency: str

    def of(self, usage: Usage) -> float:
        """Return what a call cost.

        Example:
            >>> Price(1e-6, 4e-6, "USD").of(Usage(1000, 500))
            0.003
        """
        return self.prompt * usage.prompt_tokens + self.completion * usage.completion_tokens


@dataclass(frozen=True)
class PriceTable:
    """Prices by the names of models.

    Attributes:
        prices: by name, which may have ``*`` in it; the first that fits counts.
        path: the file they came from, or where one would be looked for.
    """

    prices: Mapping[str, Price] = field(default_factory=dict)
    path: Path = _SHIPPED

    @classmethod
    def load(cls, path: str | Path | None = None) -> Self:
        """Read a table.

        Args:
            path: of a YAML file; by default what ``SEMSCALE_PRICES`` names, or ``prices.yaml`` in the user's
                folder for settings, if it is there. What it lacks is looked up in the table that comes along.

        Raises:
            InputError: the file cannot be read, or a price is not a number >= 0.
        """
        named = path or os.environ.get(VARIABLE)
        chosen = Path(named).expanduser() if named else user_table()
        shipped = _read(_SHIPPED)
        if named is None and not chosen.is_file():
            return cls(shipped, chosen)
        own = _read(chosen)
        return cls(own | {name: price for name, price in shipped.items() if name not in own}, chosen)

    def find(self, model: str) -> Price | None:
        """Return a model's price; ``None`` where it is not known, which is not the same as nothing."""
        return next((price for name, price in self.prices.items() if fnmatchcase(model, name)), None)

    def unknown(self, model: str) -> str:
        """Say that a model's price is not known, and what to do."""
        return (
            f"the price of {model} is not known; add it to {self.path} (or to a file that {VARIABLE} names)"
        )


def user_table() -> Path:
    """Return where the user's own table is looked for."""
    from platformdirs import user_config_path

    return user_config_path("semscale", appauthor=False) / "prices.yaml"


def _read(path: Path) -> dict[str, Price]:
    import yaml

    try:
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
        per = float(table.get("per_tokens", 1_000_000))
        currency = str(table.get("currency", "USD"))
        return {str(name): _price(str(name), entry, per, currency) for name, entry in table["models"].items()}
    except OSError as error:
        raise InputError(f"the table of prices {path} cannot be read: {error.strerror or error}") from error
    except (yaml.YAMLError, UnicodeDecodeError, AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        line = " ".join(str(error).split())[:120]
        raise InputError(
            f"the table of prices {path} must be YAML with per_tokens and models: {{name: {{prompt: 0.1, "
            f"completion: 0.4}}}}: {line}"
        ) from error


def _price(name: str, entry: Mapping[str, float], per: float, currency: str) -> Price:
    prompt, completion = (float(entry[part]) for part in ("prompt", "completion"))
    if not (0 <= prompt < float("inf") and 0 <= completion < float("inf") and 0 < per < float("inf")):
        raise InputError(f"prices of {name} must be >= 0 for per_tokens > 0, got {prompt} and {completion}")
    return Price(prompt / per, completion / per, currency)
