import pytest

from semscale.drift.ruler.anchor_file import AnchorColumns, read_anchors
from semscale.errors import InputError
from semscale.store.reading import open_table


def read(path, **columns):
    return read_anchors(open_table(path), AnchorColumns(**columns))


def test_a_table_is_read_with_its_labels(written):
    path = written("id,reference,output,score\na,Yes.,No.,1\n,Up.,Down.,4\nc,In.,Out.,\n")
    first, second, third = read(path, label="score", label_range=(1, 5))
    assert (first.id, first.reference, first.output, first.label) == ("a", "Yes.", "No.", 0.0)
    assert (second.id, second.label) == ("2", 0.75)
    assert third.label is None


def test_json_lines_with_other_columns(written):
    path = written([{"right": "Yes.", "said": "No."}], "anchors.jsonl")
    (pair,) = read(path, reference="right", output="said")
    assert (pair.id, pair.reference, pair.output, pair.label) == ("1", "Yes.", "No.", None)


def test_an_empty_text_is_left_to_the_set_to_refuse(written):
    (pair,) = read(written("reference,output\nYes.,\n"))
    assert pair.output == ""


@pytest.mark.parametrize("label", ["7", "good", "nan", "-1"])
def test_a_label_outside_the_scale_is_refused_with_its_place(written, label):
    path = written(f"reference,output,score\nA.,B.,1\nA.,B.,{label}\n")
    with pytest.raises(
        InputError, match=r"data row 2: column 'score' has the label .*from 0 to 1; .*--human-range"
    ):
        read(path, label="score")


def test_more_rows_than_anchors_may_have_are_refused(written):
    path = written("reference,output\n" + "A.,B.\n" * 501)
    with pytest.raises(InputError, match="has more than 500 rows: anchors are read in every run"):
        read(path)


@pytest.mark.parametrize("missing", ["reference", "output", "label"])
def test_a_missing_column_is_refused(written, missing):
    with pytest.raises(InputError, match="nowhere"):
        read(written("reference,output\nA.,B.\n"), **{missing: "nowhere"})


def test_a_range_needs_labels_and_rises():
    with pytest.raises(InputError, match="label_range belongs to label"):
        AnchorColumns(label_range=(1, 5))
    for wrong in ((5, 1), (1, 1), (0, float("inf"))):
        with pytest.raises(InputError, match="label_range must rise, such as 1,5"):
            AnchorColumns(label="score", label_range=wrong)
