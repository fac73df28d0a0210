"""Prices of models' tokens, from a table that the user can edit."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Self

from semscale.chat.replies import Usage
from semscale.errors import InputError

VARIABLE = "SEMSCALE_PRICES"
_SHIPPED = Path(__file__).with_name("prices.yaml")


@dataclass(frozen=True)
class Price:
    """Price of one model's tokens.

    Attributes:
        prompt: price of one token in a prompt.
        completion: price of one token in a reply.
        currency: of both prices, such as ``USD``.
    """

    prompt: float
    completion: float
    currency: str

    def of(self, usage: Usage) -> float:
        """Return the cost of a call.

        Example:
            >>> Price(1e-6, 4e-6, "USD").of(Usage(1000, 500))
            0.003
        """
        return self.prompt * usage.prompt_tokens + self.completion * usage.completion_tokens


def amount(value: float, *, digits: int | None = 2) -> str:
    """Write tokens or money without an exponent: at most two decimals, more for less than 1.

    Args:
        value: at least 0.
        digits: significant digits of what is less than 1; ``None`` writes the value as it was given.

    Example:
        >>> amount(1234.5678), amount(90), amount(0.0000123), amount(1e-6, digits=None)
        ('1,234.57', '90', '0.000012', '0.000001')
    """
    exact = Decimal(repr(float(value)))
    if digits is None or exact == exact.to_integral_value():
        shown = exact
    else:
        shown = exact.quantize(Decimal(1).scaleb(min(-2, exact.adjusted() - digits + 1)))
    written = f"{shown:,f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


@dataclass(frozen=True)
class PriceTable:
    """Prices by the names of models.

    Attributes:
        prices: by model name, which may contain ``*``; the first match counts.
        path: the file they were read from, or the place where the user's file is expected.
    """

    prices: Mapping[str, Price] = field(default_factory=dict)
    path: Path = _SHIPPED

    @classmethod
    def load(cls, path: str | Path | None = None) -> Self:
        """Read a table.

        Args:
            path: of a YAML file; by default the one named by ``SEMSCALE_PRICES``, or ``prices.yaml`` in the
                user's settings folder if it exists. Semscale's own table fills in models that it lacks.

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
        """Return a model's price; ``None`` if it is unknown, which does not mean free of charge."""
        return next((price for name, price in self.prices.items() if fnmatchcase(model, name)), None)

    def unknown(self, model: str) -> str:
        """Return a message that the model's price is unknown, with the remedy."""
        return (
            f"the price of {model} is not known; add it to {self.path} (or to a file that {VARIABLE} names)"
        )


def user_table() -> Path:
    """Return the path of the user's own table."""
    from platformdirs import user_config_path

    return user_config_path("semscale", appauthor=False) / "prices.yaml"


def _read(path: Path) -> dict[str, Price]:
    from semscale.yaml_reading import parse_yaml

    try:
        table: Any = parse_yaml(path.read_bytes(), source=str(path))
        per = float(table.get("per_tokens", 1_000_000))
        currency = str(table.get("currency", "USD"))
        return {str(name): _price(str(name), entry, per, currency) for name, entry in table["models"].items()}
    except OSError as error:
        raise InputError(f"the table of prices {path} cannot be read: {error.strerror or error}") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
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
