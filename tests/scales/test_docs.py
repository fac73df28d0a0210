"""docs/scales.md against the files of the library."""

from pathlib import Path

from semscale.embedding.languages import LANGUAGE_NAMES
from semscale.scales import load_scale, scale_names
from semscale.scales.library import equivalences, translated_languages

DOCUMENT = Path(__file__).parents[2] / "docs" / "scales.md"
BEGIN, END = "<!-- library: begin -->\n", "<!-- library: end -->"


def library_table():
    lines = ["| scale | question | points | from | to |", "|---|---|---|---|---|"]
    for scale in map(load_scale, scale_names()):
        cells = [f"`{scale.name}`", scale.question, scale.n_points, scale.labels[0], scale.labels[-1]]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def test_the_table_of_the_library_is_up_to_date():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text[text.index(BEGIN) + len(BEGIN) : text.index(END)] == library_table()


LANGUAGES_BEGIN, LANGUAGES_END = "<!-- languages: begin -->\n", "<!-- languages: end -->"


def language_table():
    lines = ["| language | scales |", "|---|---|"]
    for code in translated_languages():
        checks = {name: equivalences(name).get(code) for name in scale_names()}
        passed = ", ".join(name for name, check in checks.items() if check and check.passed)
        lines.append(f"| {LANGUAGE_NAMES[code]} (`{code}`) | {passed} |")
    return "\n".join(lines) + "\n"


def test_the_table_of_languages_is_up_to_date():
    text = DOCUMENT.read_text(encoding="utf-8")
    begin = text.index(LANGUAGES_BEGIN) + len(LANGUAGES_BEGIN)
    assert text[begin : text.index(LANGUAGES_END)] == language_table()
