from semscale.drift.quality.references import references_of
from semscale.history.items import Item, Output, dump_item, load_item
from semscale.history.runs import Run


def run(model, *references):
    items = (Item(str(place), (), f"Question {place}?", {}, text) for place, text in enumerate(references))
    return Run("sums", model, tuple(items))


def test_the_candidates_reference_goes_before_the_baselines():
    found = references_of(run("a", "one", "two", None, None), run("b", "one", "three", "four", None))
    assert found.texts == ("one", "three", "four", None)
    assert found.corrected == ("1",)
    assert found.cautions[0].startswith("1 item has another reference than the baseline's run: '1'")


def test_blank_references_are_none():
    found = references_of(run("a", " ", None), run("b", None, ""))
    assert not found
    assert found.texts == (None, None)
    assert found.cautions == ()


def test_the_name_changes_with_any_reference():
    names = {
        references_of(run("a", *texts), run("b", *texts)).name
        for texts in (["x", "y"], ["y", "x"], ["x", None])
    }
    assert len(names) == 3
    assert {name.partition("#")[0] for name in names} == {"2", "1"}


def test_a_reference_belongs_to_no_version_of_the_dataset():
    with_one, without = run("a", "one"), run("a", None)
    assert with_one.dataset_version == without.dataset_version
    assert not with_one.signature.differences(without.signature)


def test_a_stored_item_keeps_its_reference():
    item = Item("1", (Output("Yes."),), "Is it?", {}, "yes")
    assert load_item(dump_item(item)) == item
    assert "reference" not in dump_item(Item("1", (Output("Yes."),)))
