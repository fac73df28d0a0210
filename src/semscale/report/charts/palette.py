"""Colours: one accent, a sequential and a diverging ramp, all readable with colour-vision deficiencies."""

import math
from typing import Final

INK: Final = "#1b2430"
MUTED: Final = "#56616f"
GRID: Final = "#e3e0d8"
CARD: Final = "#fdfcf9"
ACCENT: Final = "#1f5a92"
BAR: Final = "#5c8fc0"  # the accent, light enough for a dark whisker to be seen on it
CONTRAST: Final = "#b4581a"
NEUTRAL: Final = "#b9b3a4"  # neither good nor bad: what lies between, and what there is to compare with

# Light paper to deep blue; lightness falls steadily, so the order survives in grey and in print.
_SEQUENTIAL: Final = ("#f6f3ec", "#d5e1ea", "#a3c1da", "#6798c2", "#326ea6", "#154a7d", "#0a2d52")
# Orange and blue differ for every common colour-vision deficiency; the middle is a neutral sand.
_LOW_ARM: Final = ("#eadfd0", "#e8bd8e", "#d98f4e", "#b4581a", "#7f3a0c")
_HIGH_ARM: Final = ("#dfe3e2", "#a9c4db", "#6798c2", "#326ea6", "#154a7d")
_MIDDLE: Final = "#dcd8cc"
_LINEAR_LIMIT: Final = 0.04045  # of sRGB, below which a channel is proportional to its light


def sequential(share: float) -> str:
    """Return the colour of a share in [0, 1]: paper at 0, deep blue at 1.

    Example:
        >>> sequential(0.0), sequential(1.0)
        ('#f6f3ec', '#0a2d52')
    """
    return _between(_SEQUENTIAL, share)


def diverging(share: float) -> str:
    """Return the colour of a value in [-1, 1]: orange below 0, blue above.

    Example:
        >>> diverging(-1.0), diverging(0.0), diverging(1.0)
        ('#7f3a0c', '#dcd8cc', '#154a7d')
    """
    arm = _HIGH_ARM if share > 0 else _LOW_ARM
    return _between((_MIDDLE, *arm[1:]), abs(share))


def ordinal(n_points: int, *, flipped: bool = False) -> tuple[str, ...]:
    """Return one colour a scale point, from the low end to the high one; ``flipped`` where low is good.

    Example:
        >>> ordinal(3)
        ('#b4581a', '#dcd8cc', '#326ea6')
    """
    steps = [(2 * point / (n_points - 1) - 1) * 0.75 for point in range(n_points)]
    return tuple(diverging(-step if flipped else step) for step in steps)


def ramp(n_points: int) -> tuple[str, ...]:
    """Return one colour a scale point for a scale without a good and a bad end, light to dark.

    Example:
        >>> len(ramp(5))
        5
    """
    return tuple(sequential(0.15 + 0.75 * point / (n_points - 1)) for point in range(n_points))


def correlation_colour(r: float) -> str:
    """Return the colour of a correlation or cosine in [-1, 1]; white where it is undefined.

    Example:
        >>> correlation_colour(float("nan"))
        '#ffffff'
    """
    return diverging(0.85 * r) if math.isfinite(r) else "#ffffff"


def ink_on(colour: str) -> str:
    """Return black or white, whichever has the higher contrast on a colour; it is at least 4.58.

    Example:
        >>> ink_on("#ffffff"), ink_on("#0a2d52")
        ('#000000', '#ffffff')
    """
    return max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, colour))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21.

    References:
        WCAG 2.2, definition of contrast ratio and relative luminance.

    Example:
        >>> round(contrast("#000000", "#ffffff"), 6)
        21.0
    """
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    linear = [_linear(channel / 255) for channel in _rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= _LINEAR_LIMIT else ((channel + 0.055) / 1.055) ** 2.4


def _between(stops: tuple[str, ...], share: float) -> str:
    position = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    left = min(int(position), len(stops) - 2)
    weight = position - left
    channels = zip(_rgb(stops[left]), _rgb(stops[left + 1]), strict=True)
    return "#" + "".join(f"{round((1 - weight) * a + weight * b):02x}" for a, b in channels)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
