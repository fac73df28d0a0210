"""The tutorial of the workbench, step by step, in a Chromium: from the example to a workbook and a deck."""

import pytest
from python_calamine import CalamineWorkbook
from tests.workbench.conftest import IN_CHROMIUM, Workbench, check_for_barriers
from tests.workbench.tour import take_tour

pytestmark = IN_CHROMIUM


@pytest.fixture
def workbench(tmp_path):
    """Start the workbench with the example."""
    started = Workbench(cwd=tmp_path)
    yield started
    if started.process.poll() is None:
        started.process.kill()
    started.process.communicate()


def test_a_new_user_gets_from_the_example_to_a_workbook_and_a_deck(new_page, tmp_path):
    pptx = pytest.importorskip("pptx", reason="needs the extra slides")
    page, steps = new_page(viewport={"width": 1100, "height": 720}), []

    def check(step):
        steps.append(step)
        check_for_barriers(page)

    workbook, deck = take_tour(page, tmp_path, check)
    assert steps == ["start", "data", "rate", "rated", "label", "codes", "coded"]
    sheets = CalamineWorkbook.from_path(workbook)
    cells = {
        cell
        for name in sheets.sheet_names
        for row in sheets.get_sheet_by_name(name).to_python()
        for cell in row
    }
    assert {"Germany", "Austria", "Switzerland"} <= cells
    slides = pptx.Presentation(deck).slides
    texts = [shape.text_frame.text for slide in slides for shape in slide.shapes if shape.has_text_frame]
    assert any("answers" in text for text in texts)
    assert len(slides) > 3
    project = tmp_path / "semscale-demo"
    assert (project / "labels" / "devices-why-quality" / "ada.jsonl").read_text().count("\n") == 15
    assert (project / "codebooks" / "why.yaml").is_file()
