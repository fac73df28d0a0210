"""Quotation marks around a name that a page may break."""

from semscale.report.document import Quoted
from semscale.report.html import line_html


def test_quotation_marks_stay_with_the_parts_of_a_name():
    said = str(line_html(("Is “", Quoted("org/model-b", 60), "” as good as the baseline?")))
    assert said == (
        'Is <bdi><span class="name">“org/</span><span class="name">model-b”</span></bdi> as good as the '
        "baseline?"
    )


def test_a_name_that_is_not_broken_stays_outside_its_quotation_marks():
    assert str(line_html(("Is “", Quoted("gpt", 60), "” good?"))) == "Is “<bdi>gpt</bdi>” good?"
