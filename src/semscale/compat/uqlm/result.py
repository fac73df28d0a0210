"""The class ``UQResult`` of ``uqlm``, with plain values that JSON can represent."""

import math
from collections.abc import Mapping
from typing import Any


class UQResult:
    """Columns of results by name, and the settings behind them.

    Args:
        result: ``{"data": columns, "metadata": settings}``.

    Attributes:
        data: columns of equal length; missing scores are ``None``.
        metadata: settings.

    Example:
        >>> result = UQResult({"data": {"responses": ["a"], "cosine_sim": [float("nan")]}, "metadata": {}})
        >>> result.to_dict()
        {'data': {'responses': ['a'], 'cosine_sim': [None]}, 'metadata': {}}
    """

    def __init__(self, result: Mapping[str, Any]) -> None:
        data = dict(result["data"])
        if "prompts" in data:
            data = {"prompts": data.pop("prompts"), **data}
        self.data: dict[str, Any] = {name: plain(column) for name, column in data.items()}
        self.metadata: dict[str, Any] = {name: plain(value) for name, value in result["metadata"].items()}

    def to_dict(self) -> dict[str, Any]:
        """Return data and metadata with values that ``json.dumps`` accepts."""
        return {"data": self.data, "metadata": self.metadata}

    def to_df(self) -> Any:  # noqa: ANN401 - pandas need not be installed
        """Return the data as a data frame with the same names.

        Returns:
            A pandas data frame, as in ``uqlm``, or a polars one if pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            import polars as pl

            return pl.DataFrame(self.data, strict=False)
        return pd.DataFrame(self.data)


def plain(value: Any) -> Any:  # noqa: ANN401 - any value of a result
    """Convert a value for JSON: numbers to Python's, NaN to ``None``, messages to dicts."""
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if hasattr(value, "content") and hasattr(value, "type"):  # a LangChain message
        return {"type": str(value.type), "content": plain(value.content)}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | int | float) else str(value)
