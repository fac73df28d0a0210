"""docs/scales.md against the files of the library."""

from pathlib import Path

import numpy as np

from semscale.embedding.languages import LANGUAGE_NAMES
from semscale.scales import load_scale, scale_names
from semscale.scales.library import equivalences, translated_languages
from semscale.weights.known import DEFAULT_RATING_MODEL

DOCUMENT = Path(__file__).parents[2] / "docs" / "scales.md"
BEGIN, END = "<!-- library: begin -->\n", "<!-- library: end -->"


def library_table():
    lines = ["| scale | question | points | from | to | sets | hash |", "|---|---|---|---|---|---|---|"]
    for scale in (load_scale(name).for_model(DEFAULT_RATING_MODEL) for name in scale_names()):
        cells = [f"`{scale.name}`", scale.question, scale.n_points, scale.labels[0], scale.labels[-1]]
        cells += [len(scale.anchor_sets), f"`{scale.content_hash}`"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def test_the_table_of_the_library_is_up_to_date():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text[text.index(BEGIN) + len(BEGIN) : text.index(END)] == library_table()


LANGUAGES_BEGIN, LANGUAGES_END = "<!-- languages: begin -->\n", "<!-- languages: end -->"
FIGURES = ("distance", "rank_correlation", "ladder", "ladder_by_english")


def language_table():
    lines = [
        "| language | passed | distance | rank correlation | with the levels | by English anchors |",
        "|---|---|---|---|---|---|",
    ]
    for code in translated_languages():
        found = {name: equivalences(name)[code] for name in scale_names() if code in equivalences(name)}
        passed = ", ".join(name for name, one in found.items() if one.passed)
        means = (np.mean([getattr(one, figure) for one in found.values()]) for figure in FIGURES)
        figures = " | ".join(f"{mean:.2f}".lstrip("0") for mean in means)
        lines.append(f"| {LANGUAGE_NAMES[code]} (`{code}`) | {passed} | {figures} |")
    return "\n".join(lines) + "\n"


def test_the_table_of_languages_is_up_to_date():
    text = DOCUMENT.read_text(encoding="utf-8")
    begin = text.index(LANGUAGES_BEGIN) + len(LANGUAGES_BEGIN)
    assert text[begin : text.index(LANGUAGES_END)] == language_table()
