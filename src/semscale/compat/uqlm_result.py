"""What ``uqlm`` gives back, as plain values that serialise to JSON."""

import math
from collections.abc import Mapping
from typing import Any


class UQResult:
    """Columns by name, and what they were made with.

    Args:
        result: ``{"data": columns, "metadata": settings}``.

    Attributes:
        data: columns of equal length; scores that do not exist are ``None``.
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
        """Give data and metadata as ``json.dumps`` takes them."""
        return {"data": self.data, "metadata": self.metadata}

    def to_df(self) -> Any:  # noqa: ANN401 - pandas need not be installed
        """Give the data as a data frame, under the names that ``data`` has.

        Returns:
            A pandas data frame as ``uqlm`` gives one, or a polars one where pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            import polars as pl

            return pl.DataFrame(self.data, strict=False)
        return pd.DataFrame(self.data)


def plain(value: Any) -> Any:  # noqa: ANN401 - whatever is in a result
    """Turn a value into what JSON knows: numbers into Python's, NaN into ``None``, messages into dicts."""
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if hasattr(value, "content") and hasattr(value, "type"):  # a message of LangChain's
        return {"type": str(value.type), "content": plain(value.content)}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | int | float) else str(value)
