"""Number formats of Excel, which show a figure as all other outputs do."""

from semscale.report.document.values import Count, Number, Share, WithInterval

Formatted = tuple[float | None, str]
"""A number with the format that Excel shows it in; ``None``, NaN and infinity leave the cell empty."""


def formatted_number(number: Number) -> Formatted:
    """Format a number, with its sign or its bounds where it has them; no figure has both.

    Example:
        >>> formatted_number(Number(1e-9, 3, least=0.001))
        (1e-09, '[<0.001]"< 0.001";0.000')
        >>> formatted_number(Number(1e303, 1, most=10_000))
        (1e+303, '[>10000]"> 10,000";0.0')
        >>> formatted_number(Number(0.12, signed=True))
        (0.12, '+0.00;-0.00;0.00')
    """
    shown = _decimals(number.digits)
    if number.signed:
        return number.value, _signed(shown)
    least = [] if number.least is None else [f'[<{number.least:g}]"< {number.least:g}"']
    most = [] if number.most is None else [f'[>{number.most:.12g}]"> {number.most:,.12g}"']
    return number.value, ";".join([*least, *most, shown])


def formatted_count(count: Count) -> Formatted:
    """Format a whole number, with its asterisk if there are too few to rely on.

    Example:
        >>> formatted_count(Count(7, is_small=True))
        (7, '#,##0"*"')
    """
    return count.value, '#,##0"*"' if count.is_small else "#,##0"


def formatted_share(share: Share) -> Formatted:
    """Format a share in percent."""
    return share.value, _percent(share.digits)


def formatted_interval(cell: WithInterval) -> tuple[Formatted, Formatted, Formatted]:
    """Format a figure and both ends of its interval; as in text, the figure alone shows its sign."""
    shown = _percent(1) if cell.is_share else _decimals(cell.digits)
    return (cell.value, _signed(shown) if cell.signed else shown), (cell.low, shown), (cell.high, shown)


def _decimals(digits: int | None) -> str:
    return "General" if digits is None else f"0.{'0' * digits}" if digits else "0"


def _percent(digits: int) -> str:
    return f"{_decimals(digits)} %"


def _signed(shown: str) -> str:
    return f"+{shown};-{shown};{shown}"
