"""docs/scales.md against the files of the library."""

from pathlib import Path

from semscale.scales import load_scale, scale_names
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
