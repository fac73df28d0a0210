"""Questions about the wrong step of a reasoning: steps named by replies, expected steps, and their scores."""

import re
from collections.abc import Sequence

_STEP = re.compile(r"\bstep\b\W*(?:number\W*)?(\d+)", re.IGNORECASE)
# With a colon it is a heading; without one the word may also stand inside a sentence.
_HEADINGS = (
    re.compile(r"explanation\W*?:\W*", re.IGNORECASE),
    re.compile(r"explanation\b\W*", re.IGNORECASE),
)
_HALF_FROM = 2
_FACTORS = (1.0, 0.7, 0.3)


def named_step(text: str) -> int | None:
    """Give the first step that a text names by its number.

    Example:
        >>> named_step("- **Step 3** contains the incorrect inference."), named_step("none of them")
        (3, None)
    """
    found = _STEP.search(text)
    return int(found[1]) if found else None


def explanation_in(text: str) -> str:
    """Give what follows the heading "Explanation:" or else that word; the whole text where there is neither.

    Example:
        >>> explanation_in("Step: 2. Explanation: it stains well")
        'it stains well'
    """
    found = next((found for heading in _HEADINGS if (found := heading.search(text))), None)
    return text[found.end() :].strip() if found else text.strip()


def expected_step(lines: str | Sequence[str]) -> tuple[int | None, str]:
    """Read the wrong step and its explanation off an item's ``incorrect_reasoning_step``.

    Example:
        >>> expected_step(["- Step 3 contains the error.", "- Explanation: no such link."])
        (3, 'no such link.')
    """
    listed = lines.splitlines() if isinstance(lines, str) else list(lines)
    explained = [line for heading in _HEADINGS for line in listed if heading.search(line)]
    steps = [step for step in map(named_step, listed) if step is not None]
    return (steps[0] if steps else None), explanation_in(explained[0] if explained else "\n".join(listed))


def step_factor(distance: int) -> float:
    """Give the factor for a named step that is off by n: 1, .7, .3, then half for every further step.

    Example:
        >>> [step_factor(distance) for distance in range(5)]
        [1.0, 0.7, 0.3, 0.15, 0.075]
    """
    if distance <= _HALF_FROM:
        return _FACTORS[distance]
    return float(_FACTORS[_HALF_FROM] / 2 ** (distance - _HALF_FROM))
