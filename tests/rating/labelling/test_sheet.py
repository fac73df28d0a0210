import numpy as np
import polars as pl
import pytest

from semscale.rating.labelling.sheet import instructions, label_sheet, write_sheet
from semscale.scales import load_scale
from semscale.signature import Signature
from semscale.stats.calibration.drawing import DrawnTexts

DRAWN = DrawnTexts(np.array([2, 0]), np.array([0.25, 0.5]), np.array([0.5, 0.25, 0.25]))


def test_the_sheet_has_rows_texts_room_for_labels_and_probabilities():
    sheet = label_sheet(["good", None, "bad"], DRAWN)
    assert sheet.rows() == [(3, "bad", None, 0.25), (1, "good", None, 0.5)]
    assert sheet.columns == ["row", "text", "human", "inclusion"]


def test_one_text_of_three_million_keeps_its_probability(tmp_path):
    sheet = label_sheet(["good"], DrawnTexts(np.array([0]), *[np.array([1 / 3_000_000])] * 2))
    write_sheet(sheet, tmp_path / "sheet.csv", "Read this.")
    weight = 1 / pl.read_csv(tmp_path / "sheet.csv")["inclusion"][0]
    assert weight == pytest.approx(3_000_000)


def test_it_is_written_with_instructions_beside_it(tmp_path):
    beside = write_sheet(label_sheet(["good", None, "=bad"], DRAWN), tmp_path / "sheet.csv", "Read this.\n")
    assert beside == tmp_path / "sheet-instructions.md"
    assert beside.read_text() == "Read this.\n"
    assert pl.read_csv(tmp_path / "sheet.csv")["text"].to_list() == ["'=bad", "good"]


def test_instructions_have_the_question_every_point_the_next_command_and_the_signature():
    signature = Signature.of("label", draw_seed=7)
    said = instructions(load_scale("quality"), "sheet.xlsx", signature, "semscale calibrate", "semscale rate")
    for words in ("Labelling sheet.xlsx", "How good is it?", "- 1: Very bad", "- 5: Very good",
                  "    semscale calibrate\n", "    semscale rate\n", "|label|draw_seed:7\n"):  # fmt: skip
        assert words in said


def test_instructions_for_too_few_texts_have_one_command():
    said = instructions(
        load_scale("quality"), "sheet.csv", Signature.of("label"), None, "semscale rate a.csv"
    )
    assert "    semscale rate a.csv\n" in said
    assert "calibrate" not in said
    assert "None" not in said
