import numpy as np
import pytest

from semscale.embedding import ArrayEmbedder, load_embedder
from semscale.errors import InputError
from semscale.guards.registry import GUARDS
from semscale.matching.matcher import METHODS, Matcher, match, match_with
from semscale.types import Status

WITH_EMBEDDERS = [name for name in METHODS if name != "entailment"]
"""Methods that the default model serves; entailment has a model of its own (tests/matching/entailment)."""


def test_the_best_reference_counts_and_is_named(toy_embedder):
    result = match(["heart attack"], [["lung", "heart attack", "heart"]], "cosine", embedder=toy_embedder)
    assert result.score.tolist() == [1.0]
    assert result.reference.tolist() == [1]


def test_unscored_items_stay_in_position(toy_embedder):
    result = match(["heart", None, "lung"], ["heart", "b", None], "cosine", embedder=toy_embedder)
    assert result.status.tolist() == [Status.SCORED, Status.MISSING, Status.NO_REFERENCE]
    assert result.score[0] == 1.0
    assert np.isnan(result.score[1:]).all()
    assert result.reference.tolist() == [0, -1, -1]
    assert result.windows.tolist() == [1, 0, 0]


def test_nothing_to_match_gives_no_scores(toy_embedder):
    assert len(match([], [], "cosine", embedder=toy_embedder)) == 0
    assert np.isnan(match([None], ["a"], "cosine", embedder=toy_embedder).score).all()


@pytest.mark.parametrize("method", ["calibrated", "bertscore", "cliniqlink-doc"])
def test_methods_that_read_tokens_need_an_engine_that_shows_them(toy_embedder, method):
    with pytest.raises(InputError, match="embedder must show the states of single tokens"):
        Matcher(method, embedder=toy_embedder)


@pytest.mark.parametrize("method", ["calibrated", "bertscore", "cliniqlink-doc"])
def test_a_loaded_embedder_serves_as_its_name_does(method):
    pair = ["It is fine."], ["It is quite good."]
    explicit = match(
        *pair, method, embedder=load_embedder("all-MiniLM-L6-v2"), corpus=["fine", "good", "never", "a car"]
    )
    named = match(*pair, method, corpus=["fine", "good", "never", "a car"])
    assert explicit.score.tolist() == named.score.tolist()
    assert explicit.signature == named.signature


def test_a_precision_belongs_to_a_named_model(toy_embedder):
    with pytest.raises(InputError, match="precision='fast' needs the name of a model"):
        Matcher("cosine", embedder=toy_embedder, precision="fast")


def test_published_examples_score_as_measured_with_the_default_model():
    # facts: "Myocardial infarction" / "Heart attack" share no word piece, and cosine .594, measured with
    # sentence-transformers. Under 100 references the baseline is .3, so the paragraph has .294 / .7 = .42.
    result = match(
        ["Heart attack", "Cardiomegaly"], ["Myocardial infarction", "Cardiomyopathy"], "cliniqlink-code"
    )
    assert result.components["sentence"][0] == pytest.approx(0.594, abs=5e-4)
    assert result.components["paragraph"][0] == pytest.approx(0.42, abs=1e-3)
    # "card" is the only whole piece of both, so the word layer cannot tell them apart.
    assert result.components["word"][1] == pytest.approx(1.0, abs=1e-12)


def test_guards_report_whatever_the_method_and_the_score_stays(toy_embedder):
    pair = (["Give 50 mg."], ["Give 0.5 mg."])
    looked = match(*pair, "cosine", embedder=toy_embedder)
    blind = match(*pair, "cosine", embedder=toy_embedder, guards=dict.fromkeys(GUARDS, "off"))
    assert [result.guard for result in looked.findings[0]] == ["number"]
    assert blind.findings == ((),)
    assert looked.score.tolist() == blind.score.tolist()
    assert set(looked.signature.differences(blind.signature)) == {"findings", "language"}


def test_calibrated_findings_weigh_by_default():
    pair = (["It is not safe to drive."], ["It is safe to drive."])
    weighed = match(*pair)
    warned = match(*pair, guards={"negation": "warn"})
    assert weighed.findings == warned.findings != ((),)
    assert weighed.score[0] < 0.7 * warned.score[0]
    assert weighed.weighs_findings
    assert match(*pair, guards=dict.fromkeys(GUARDS, "warn")).weighs_findings is False


def test_a_guard_cannot_weigh_where_no_weight_is_fitted(toy_embedder):
    with pytest.raises(InputError, match="calibrated only, .* got weigh for number"):
        Matcher("cosine", embedder=toy_embedder, guards={"number": "weigh"})


def test_recall_share_leans_the_score():
    short_answer = (["a battery"], ["a battery and a bulb in a closed path"])
    precision, recall = (match(*short_answer, recall_share=share).score[0] for share in (0, 1))
    assert precision > recall


def test_a_layer_chooses_whose_states_are_compared():
    first, last = (match(["a dog"], ["a cat"], "bertscore", layer=layer) for layer in (0, 6))
    assert first.score[0] != last.score[0]
    with pytest.raises(InputError, match="layer must be between 0 and 6"):
        Matcher("bertscore", layer=7)


@pytest.mark.parametrize(
    ("setting", "owner"), [({"recall_share": 0.5}, "calibrated"), ({"layer": 3}, "bertscore")]
)
def test_a_setting_of_another_method_is_refused(toy_embedder, setting, owner):
    with pytest.raises(InputError, match=f"{next(iter(setting))} belongs to method '{owner}'"):
        Matcher("cosine", embedder=toy_embedder, **setting)


def test_texts_that_cannot_be_encoded_are_matched_all_the_same():
    # Half of a surrogate pair is no character.
    result = match(["a heart\ud83d", "lung"], ["a heart\ud83d", "heart"], "cliniqlink-doc")
    assert [str(status) for status in result.status] == ["scored", "scored"]
    assert result.score[0] == pytest.approx(0.75)  # equal texts, by the document


def test_rows_without_a_pair_need_no_baseline():
    result = match([None, ""], ["a", None], "cliniqlink-doc")
    assert [str(status) for status in result.status] == ["missing", "empty"]
    assert dict(result.signature.fields)["baseline"] == "none"


@pytest.mark.parametrize(
    ("corpus", "message"),
    [
        ([], "corpus must hold at least one text, got 0 cells"),
        (["", None, " "], "corpus must hold at least one text, got 3 cells"),
        (["a", 1], r"corpus\[1\] must be a text, got int"),
        ("abc", "corpus must be a list"),
    ],
)
def test_a_corpus_holds_texts(toy_embedder, corpus, message):
    with pytest.raises(InputError, match=message):
        Matcher("calibrated", embedder=toy_embedder, corpus=corpus)


def test_a_corpus_that_nothing_is_estimated_from_is_refused(toy_embedder):
    with pytest.raises(InputError, match="corpus belongs to methods calibrated, bertscore, .*with 'cosine'"):
        Matcher("cosine", embedder=toy_embedder, corpus=["a", "b"])


def test_a_set_of_references_has_no_order(toy_embedder):
    with pytest.raises(InputError, match="references must be texts or lists of texts.*got set"):
        match(["heart"], [{"heart", "lung"}], "cosine", embedder=toy_embedder)


@pytest.mark.parametrize("seed", [-1, 1.5, "x"])
def test_a_seed_is_a_whole_number(toy_embedder, seed):
    with pytest.raises(InputError, match="seed must be a whole number"):
        Matcher("cosine", embedder=toy_embedder, seed=seed)


def test_guards_are_a_mapping(toy_embedder):
    with pytest.raises(InputError, match="guards must be GUARD=MODE, such as number=off, got 'name'"):
        Matcher("cosine", embedder=toy_embedder, guards=["name"])


PAIRS = [
    ("👍", "👎"),
    ("这个产品很好", "这个产品很差"),
    ("สินค้านี้ดีมาก", "สินค้านี้แย่มาก"),
    ("👍!", "👎!"),
    ("good", "👍"),
]


@pytest.mark.parametrize("method", WITH_EMBEDDERS)
def test_opposite_texts_that_the_model_cannot_read_have_no_score(method):
    predictions, references = zip(*PAIRS, ("great 👍", "good"), ("плохо", "good"), strict=True)
    result = match(list(predictions), list(references), method)
    foreign, weightless = Status.OTHER_LANGUAGE, Status.WEIGHTLESS
    unread = [weightless, foreign, foreign, weightless, weightless]  # Chinese and Thai between emoji
    assert result.status.tolist() == [*unread, *[Status.SCORED] * 2]
    assert np.isnan(result.score).tolist() == [True] * 5 + [False] * 2
    assert all(np.isnan(values[:5]).all() for values in result.components.values())
    assert result.estimate().overall.left_out == {"weightless": 3, "other-language": 2}


def test_stopword_texts_that_code_cleaning_empties_are_still_scored():
    texts = ["They are the same", "the same", "it 👍"], ["they are the same", "it is the same", "it 👎"]
    result = match(*texts, "cliniqlink-code")
    # Equal but for case: 1. Else both texts are empty: no word, cosine 1, so .4 + .2 - .25.
    np.testing.assert_allclose(result.score, [1.0, 0.35, np.nan])
    assert result.status.tolist() == [Status.SCORED, Status.SCORED, Status.WEIGHTLESS]


@pytest.mark.parametrize("method", WITH_EMBEDDERS)
def test_readable_reference_is_preferred_to_an_unreadable_reference(method):
    result = match(["It is good.", "heart"], [["👍", "It is bad."], ["lung"]], method)
    assert result.reference.tolist() == [1, 0]


def test_user_vectors_are_matched_for_any_text():
    vectors = ArrayEmbedder(["👍", "👎"], [[1.0, 0.0], [0.6, 0.8]])
    assert match(["👍"], ["👎"], "cosine", embedder=vectors).score == pytest.approx([0.6])


GERMAN = "Das ist leider überhaupt nicht sicher."
ENGLISH = "It is not safe at all, and that is a pity."


@pytest.mark.parametrize("method", WITH_EMBEDDERS)
def test_rows_in_a_language_that_the_model_does_not_read_have_no_score(method):
    predictions = [ENGLISH, GERMAN, GERMAN, ENGLISH, ENGLISH]
    references = [ENGLISH, ENGLISH, GERMAN, GERMAN, [GERMAN, ENGLISH]]
    result = match(predictions, references, method)
    assert [str(status) for status in result.status] == ["scored", *["other-language"] * 3, "scored"]
    assert np.isnan(result.score).tolist() == [False, True, True, True, False]
    assert result.reference.tolist() == [0, -1, -1, -1, 1]  # of two references the one that is read
    assert dict(result.signature.fields)["language"].startswith("any+py3langid-")


def test_what_is_asked_for_with_texts_that_the_model_does_not_read_is_scored():
    method = Matcher("cosine").pair_method
    result = match_with(method, [GERMAN], [GERMAN], keep_unread=True)
    assert result.score.tolist() == [1.0]
    assert "language" not in dict(result.signature.fields)


def test_rows_are_counted_by_the_languages_of_prediction_and_reference():
    predictions = [ENGLISH, GERMAN, GERMAN, "Paris", None]
    references = [ENGLISH, ENGLISH, GERMAN, [None, GERMAN], ENGLISH]
    summary = match(predictions, references, "cosine").summarize(predictions, references)
    assert [result.record("prediction", "reference") for result in summary.languages] == [
        {"prediction": "de", "reference": "de", "rows": 1, "scored": 0, "unread": 1},
        {"prediction": "de", "reference": "en", "rows": 1, "scored": 0, "unread": 1},
        {"prediction": "en", "reference": "en", "rows": 1, "scored": 1, "unread": 0},
        {"prediction": None, "reference": "de", "rows": 1, "scored": 0, "unread": 1},
    ]
    assert summary.n_across_languages == 1
    assert summary.record()["across_languages"] == 1
    # Without the texts nothing is known of their languages.
    assert match(predictions, references, "cosine").summarize().languages == ()
