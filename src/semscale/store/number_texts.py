"""Columns of texts that are numbers, such as a CSV file has, as numbers that give the same texts again."""

from collections.abc import Sequence

import polars as pl

_WHOLE = r"^(?:0|-?[1-9][0-9]{0,14})$"
_DECIMAL = r"^-?(?:0|[1-9][0-9]*)\.[0-9]*[1-9]$"
_TINY = r"^-?0\.0000"  # is shown with an exponent
_DIGITS = 15  # that Excel keeps of a number


def with_numbers(frames: Sequence[pl.LazyFrame]) -> list[pl.LazyFrame]:
    """Turn columns of numbers that are written as texts into numbers, if each text can be had back.

    A column stays text if a single text in it would change: with a leading or trailing zero, a sign that is
    not needed, white space, more than 15 digits, or anything that is no number. Empty texts become null.

    Args:
        frames: with the same columns.

    Returns:
        The frames; columns of numbers have type Float64.

    Example:
        >>> frame = pl.LazyFrame({"score": ["5", "-1.5"], "postcode": ["01067", "80331"]})
        >>> with_numbers([frame])[0].collect_schema().dtypes()
        [Float64, String]
    """
    schema = frames[0].collect_schema()
    candidates = {title for title, dtype in schema.items() if dtype == pl.String}
    filled: set[str] = set()
    for frame in frames:
        if not candidates:
            break
        found = frame.select(_facts(title) for title in sorted(candidates)).collect()
        facts = {title: found[title][0] for title in candidates}
        candidates = {title for title, fact in facts.items() if fact["is_exact"]}
        filled |= {title for title, fact in facts.items() if fact["is_filled"]}
    numbers = [pl.col(title).cast(pl.Float64, strict=False) for title in sorted(candidates & filled)]
    return [frame.with_columns(numbers) for frame in frames]


def _facts(title: str) -> pl.Expr:
    text = pl.col(title)
    digits = text.str.replace_all(r"[^0-9]", "").str.len_chars()
    decimal = text.str.contains(_DECIMAL) & ~text.str.contains(_TINY) & (digits <= _DIGITS)
    is_exact = (text.str.contains(_WHOLE) | decimal | (text == "")).all()
    return pl.struct(is_exact.alias("is_exact"), (text != "").any().alias("is_filled")).alias(title)
