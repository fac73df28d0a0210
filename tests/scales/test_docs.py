"""docs/scales.md against the files of the library."""

from pathlib import Path

import pytest

from semscale.scales import scale_names
from semscale.scales.library import translation_languages
from semscale.types import LANGUAGE_NAMES

DOCUMENT = Path(__file__).parents[2] / "docs" / "scales.md"


@pytest.mark.parametrize(
    ("before", "names"),
    [
        ("The shipped scales are ", [f"`{name}`" for name in scale_names()]),
        (
            "Machine translations of the anchors into ",
            [LANGUAGE_NAMES[code] for code in translation_languages()],
        ),
    ],
)
def test_the_page_lists_all_scales_and_languages(before, names):
    text = " ".join(DOCUMENT.read_text(encoding="utf-8").split())
    assert f"{before}{', '.join(names[:-1])} and {names[-1]}" in text
