"""Numbers in a column, whether it holds numbers or texts that are numbers."""

import polars as pl

from semscale.store.table import NUMBER


def numbers_among(cells: pl.Series) -> pl.Series:
    """Read numbers, with a point or a comma; a text that is no number, and NaN, become null.

    Args:
        cells: n texts, numbers or truth values; dates and lists hold no number.

    Returns:
        n values of type ``Float64``.

    Example:
        >>> numbers_among(pl.Series(["1,5", " 2 ", "old", None])).to_list()
        [1.5, 2.0, None, None]
    """
    if cells.dtype == pl.String:
        plain = cells.str.strip_chars().str.replace(",", ".", literal=True)
        is_number = cells.str.contains(NUMBER).fill_null(value=False)
        return plain.set(~is_number, None).cast(pl.Float64, strict=False)
    if cells.dtype.is_numeric() or cells.dtype in (pl.Boolean, pl.Null):
        return cells.cast(pl.Float64).fill_nan(None)
    return pl.Series(cells.name, [None] * len(cells), dtype=pl.Float64)
