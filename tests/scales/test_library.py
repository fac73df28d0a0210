from difflib import SequenceMatcher
from importlib import resources
from itertools import chain

import pytest

from semscale.errors import InputError, UnknownNameError
from semscale.scales import library, load_scale, scale_names
from semscale.scales.library import Equivalence, list_passed_languages, load_passed_translation

WANTED = {
    "purchase-intent", "agreement", "satisfaction", "recommendation", "likelihood", "relevance", "importance",
    "frequency", "quality", "believability", "uniqueness", "ease-of-use", "trust", "value-for-money",
}  # fmt: skip

MODELS = ("all-MiniLM-L6-v2", "e5-small")
# Hashes before there was a second model; with this one, each scale is what it was.
OF_MINILM = {
    "agreement": "86b0f2ea", "believability": "0605f56a", "ease-of-use": "bfe43052", "frequency": "eb6334f4",
    "importance": "cb0796ce", "likelihood": "5f4fb0d4", "purchase-intent": "e99af665", "quality": "d08c5da1",
    "recommendation": "b021c4d1", "relevance": "790a4714", "satisfaction": "2e83713e", "trust": "e2ed7f50",
    "uniqueness": "f8da879a", "value-for-money": "fcb92607",
}  # fmt: skip


def test_minilm_has_the_sets_that_were_chosen_with_it():
    assert {name: load_scale(name).for_model(MODELS[0]).content_hash for name in WANTED} == OF_MINILM


def test_the_library_holds_the_constructs_that_surveys_use():
    assert set(scale_names()) == WANTED
    assert scale_names() == sorted(scale_names())


@pytest.mark.parametrize("name", scale_names())
def test_a_scale_of_the_library(name):
    scale = load_scale(name)
    assert scale.name == name
    assert all(len(scale.for_model(model).anchor_sets) >= 4 for model in MODELS)
    assert scale.provenance
    # Every point has at least two probes of its own.
    for point in scale.points:
        assert sum(probe.level == point.value for probe in scale.probes) >= 2


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", scale_names())
def test_no_sentence_is_used_twice_with_a_model_and_no_probe_is_an_anchor(name, model):
    scale = load_scale(name).for_model(model)
    anchors = [anchor.casefold() for anchor in chain.from_iterable(scale.anchor_sets.values())]
    assert len(set(anchors)) == len(anchors)
    assert not {probe.text.casefold() for probe in scale.probes} & set(anchors)


@pytest.mark.parametrize("name", scale_names())
def test_anchors_are_short_and_do_not_repeat_the_question(name):
    scale = load_scale(name)
    asked = tokens(scale.question)
    for anchor in map(tokens, chain.from_iterable(scale.anchor_sets.values())):
        assert len(anchor) <= 14
        assert longest_common_run(anchor, asked) <= len(asked) / 2


def tokens(text):
    return [word.strip(".,?!").casefold() for word in text.split()]


def longest_common_run(a, b):
    return SequenceMatcher(None, a, b, autojunk=False).find_longest_match().size


@pytest.mark.parametrize("name", scale_names())
def test_files_are_utf8_with_unix_line_ends(name):
    content = (resources.files("semscale.scales") / f"{name}.yaml").read_bytes()
    assert b"\r" not in content
    assert content.endswith(b"\n")
    assert content.decode("utf-8")


def test_recommendation_runs_from_0_to_10():
    assert load_scale("recommendation").values.tolist() == list(range(11))


def test_a_scale_comes_back_as_it_is():
    scale = load_scale("trust")
    assert load_scale(scale) is scale


def test_a_miss_names_the_nearest():
    with pytest.raises(
        UnknownNameError, match="unknown scale 'purchse-intent': did you mean 'purchase-intent'"
    ):
        load_scale("purchse-intent")


def test_a_miss_far_from_every_name_lists_them():
    with pytest.raises(UnknownNameError, match=r"unknown scale '0000' \(known: agreement, believability,"):
        load_scale("0000")


@pytest.mark.parametrize("as_what", [str, lambda path: path])
def test_a_file(tmp_path, as_what):
    source = (resources.files("semscale.scales") / "trust.yaml").read_text(encoding="utf-8")
    path = tmp_path / "my.yaml"
    path.write_text(source.replace("name: trust", "name: mine"), encoding="utf-8")
    assert load_scale(as_what(path)).name == "mine"


@pytest.mark.parametrize("name", ["absent.yaml", "folder/absent", "."])
def test_a_file_that_cannot_be_read(tmp_path, name):
    with pytest.raises(InputError, match="cannot be read: "):
        load_scale(tmp_path / name)


# purchase-intent has set-1 to set-5, which serve every model; German passed without set-3.
FIVE = tuple(f"set-{n}" for n in range(1, 6))
FOUR = ("set-1", "set-2", "set-4", "set-5")


def german_measured(**changes):
    figures = {"distance": 0, "rank_correlation": 1, "ladder": 1, "ladder_by_english": 1}
    figures |= {"linter": "warn", "english_linter": "pass", "english": "a", "translated": "b"}
    return {"de": Equivalence(**{"english_sets": FIVE, "anchor_sets": FOUR, **figures, **changes})}


@pytest.fixture
def measured(monkeypatch):
    def patch(**changes):
        monkeypatch.setattr(library, "equivalences", lambda name: german_measured(**changes))

    return patch


def test_a_translation_stands_for_a_scale_with_the_sets_that_passed(measured):
    measured()
    scale = load_scale("purchase-intent")
    assert list_passed_languages(scale, "e5-small") == ("de",)
    german = load_passed_translation(scale, "de")
    assert german.language == "de"
    assert tuple(german.anchor_sets) == FOUR
    assert list_passed_languages(scale.with_sets(["set-5", "set-1"]), "e5-small") == ("de",)
    assert list_passed_languages(scale.with_sets(["set-2", "set-3"]), "e5-small") == ()


@pytest.mark.parametrize("model", ["all-MiniLM-L6-v2", None])
def test_a_translation_serves_only_the_model_that_it_was_checked_with(measured, model):
    measured()
    assert list_passed_languages(load_scale("purchase-intent"), model) == ()


def test_a_loaded_translation_says_which_sets_serve_the_model(measured):
    measured()
    german = load_scale("purchase-intent", language="de")
    assert tuple(german.anchor_sets) == FIVE
    assert tuple(german.for_model("e5-small").anchor_sets) == FOUR
    assert tuple(german.for_model("other").anchor_sets) == FIVE


@pytest.mark.parametrize("changes", [{"anchor_sets": FIVE}, {"ladder": 0.5}], ids=["all-passed", "failed"])
def test_a_translation_that_passed_whole_or_failed_keeps_its_sets(measured, changes):
    measured(**changes)
    assert load_scale("purchase-intent", language="de").sets_by_model == {}


def test_only_scales_of_the_library_have_translations(measured):
    measured()
    scale = load_scale("purchase-intent")
    assert list_passed_languages(scale.model_copy(update={"name": "mine"}), "e5-small") == ()
    changed = {**scale.anchor_sets, "set-1": tuple(reversed(scale.anchor_sets["set-1"]))}
    assert list_passed_languages(scale.model_copy(update={"anchor_sets": changed}), "e5-small") == ()
