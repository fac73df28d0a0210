"""Languages of texts, and of the anchors that rate them."""

import json
from dataclasses import replace

import numpy as np
import pytest

import semscale
from semscale.errors import InputError
from semscale.rating import anchors
from semscale.rating.anchors import AnchorLanguages, check_language, check_reads, text_languages
from semscale.rating.rater import Rater
from semscale.rating.settings import RatingColumns
from semscale.rating.table import rate_table
from semscale.results.table_runs import PartSettings
from semscale.scales import library, load_scale
from semscale.scales.library import Equivalence
from semscale.signature import Signature
from semscale.store.reading import open_table
from semscale.types import Status
from semscale.weights.known import KNOWN

SCALE = load_scale("purchase-intent")
TRANSLATED = tuple(load_scale("purchase-intent", language="de").anchor_sets)

GERMAN_MEASURED = Equivalence(
    english_sets=TRANSLATED,
    anchor_sets=TRANSLATED,
    english="a",
    translated="b",
    distance=0,
    rank_correlation=1,
    ladder=1,
    ladder_by_english=1,
    linter="pass",
    english_linter="pass",
)


@pytest.fixture(params=[("de",), ()], ids=["German-passed", "none-passed"])
def passed(request, monkeypatch):
    measured_are(monkeypatch, {"de": GERMAN_MEASURED} if request.param else {})
    return request.param


def measured_are(monkeypatch, measured):
    for module in (anchors, library):
        monkeypatch.setattr(module, "equivalences", lambda name: measured)


def test_auto_takes_what_passed_and_names_it(passed):
    languages = AnchorLanguages(SCALE, "auto", "e5-small")
    assert languages.scale == SCALE
    assert languages.translations == passed
    assert not languages.is_fallback
    settings = languages.settings()
    assert settings["language"].startswith("auto+py3langid-")
    # sha256("b"), the recorded hash, begins with 3e23e816.
    assert settings.get("translations") == ("de#3e23e816" if passed else "none")


@pytest.mark.parametrize("model", ["all-MiniLM-L6-v2", None], ids=["known", "unknown"])
def test_a_translation_that_passed_with_another_model_does_not_serve(monkeypatch, model):
    measured_are(monkeypatch, {"de": GERMAN_MEASURED})
    anchor_languages = AnchorLanguages(SCALE, "auto", model)
    assert (anchor_languages.translations, anchor_languages.settings()["translations"]) == ((), "none")
    german = AnchorLanguages(SCALE, "de", model)
    assert (german.scale, german.is_fallback) == (SCALE, True)
    assert german.settings() == {"language": "de", "anchor_language": "en"}


def test_default_language_uses_the_original_anchors(passed):
    languages = AnchorLanguages(SCALE, None, "e5-small")
    assert (languages.scale, languages.translations, languages.is_fallback) == (SCALE, (), False)
    assert list(languages.settings()) == ["language"]
    assert languages.settings()["language"].startswith("any+py3langid-")


def test_language_uses_its_anchors_if_they_passed_and_english_otherwise(passed):
    languages = AnchorLanguages(SCALE, "de", "e5-small")
    assert languages.scale.language == ("de" if passed else "en")
    assert languages.is_fallback is not bool(passed)
    assert languages.translations == ()
    further = {} if passed else {"anchor_language": "en"}
    assert languages.settings() == {"language": "de", **further}


def test_scale_language_states_that_all_texts_are_in_it(passed):
    languages = AnchorLanguages(SCALE, "en", "e5-small")
    assert languages.scale == SCALE
    assert languages.settings() == {"language": "en"}
    assert not languages.is_fallback


def test_some_sets_alone_are_translated_too(passed):
    some = SCALE.with_sets(["set-3", "set-1"])
    assert list(AnchorLanguages(some, "de", "e5-small").scale.anchor_sets) == ["set-3", "set-1"]


def test_sets_that_the_linter_fails_in_a_language_do_not_serve_and_the_signature_says_so(monkeypatch):
    some = replace(GERMAN_MEASURED, anchor_sets=("set-1", "set-3", "set-5"))
    measured_are(monkeypatch, {"de": some})
    languages = AnchorLanguages(SCALE, "auto", "e5-small")
    assert list(languages.translation("de").anchor_sets) == ["set-1", "set-3", "set-5"]
    assert languages.settings()["translations"] == "de(set-1,set-3,set-5)#3e23e816"
    german = AnchorLanguages(SCALE, "de", "e5-small")
    assert list(german.scale.anchor_sets) == ["set-1", "set-3", "set-5"]
    assert german.untranslated == SCALE


def test_a_language_without_anchors_is_refused():
    with pytest.raises(InputError, match=r"language must be one of auto, en, .*'fi'.*no anchors in Finnish"):
        check_language(SCALE, "fi")
    mine = SCALE.model_copy(update={"name": "mine"})
    with pytest.raises(InputError, match="language must be one of auto, en, got 'de'"):
        check_language(mine, "de")


MINILM = KNOWN["all-MiniLM-L6-v2"]

ENGLISH_MODEL = Signature.of("embed", model=f"{MINILM.name}#{MINILM.sums[MINILM.weights][:12]}")

UNKNOWN_MODEL = Signature.of("embed", model="my-folder#0123")

TEXTS = ["I would buy it tomorrow.", "Ich würde es sofort kaufen.", "ok", "太贵了", "John Smith"]


def test_language_of_every_text_is_identified_separately():
    result = text_languages(TEXTS)
    assert result.tolist() == ["en", "de", None, "zh", None]
    assert text_languages([]).shape == (0,)


def test_stated_or_plainly_english_texts_are_not_identified(monkeypatch):
    monkeypatch.setattr("semscale.results.languages._identify", lambda text: f"<{text}>")
    assert text_languages(["ok", "Das ist gut."], "fr").tolist() == ["fr", "fr"]
    # "would", "buy", "it" and others are words of English alone; "ok" is not.
    assert text_languages(["I would buy it if it were mine.", "ok"]).tolist() == ["en", "<ok>"]


def test_a_language_is_not_refused_where_it_is_not_known_what_the_model_reads():
    check_reads(UNKNOWN_MODEL, "de")


def test_a_language_that_the_model_does_not_read_is_refused():
    check_reads(ENGLISH_MODEL, "en")
    with pytest.raises(InputError, match="all-MiniLM-L6-v2 does not read German"):
        check_reads(ENGLISH_MODEL, "de")


ENGLISH = "I think I would buy this one here."

GERMAN = "Ich denke, ich würde das kaufen, ja."

FRENCH = "Je pense que je vais certainement l'acheter."

ANSWERS = [ENGLISH, GERMAN, "ok", None, FRENCH, GERMAN]

SETS = tuple(load_scale("purchase-intent", language="de").anchor_sets)

GERMAN_TABLE = Equivalence(
    english_sets=SETS,
    anchor_sets=SETS,
    english="a",
    translated="b",
    distance=0,
    rank_correlation=1,
    ladder=1,
    ladder_by_english=1,
    linter="pass",
    english_linter="pass",
)


class UnderName:
    """The toy model under the name of a known one."""

    def __init__(self, embedder, name):
        known = KNOWN[name]
        self.dimensions, self.embed = embedder.dimensions, embedder.embed
        self.signature = Signature.of("embed", model=f"{known.name}#{known.sums[known.weights][:12]}")


class EnglishReader(UnderName):
    """The toy model under the name of the known one that reads English alone."""

    def __init__(self, embedder):
        super().__init__(embedder, "all-MiniLM-L6-v2")


@pytest.fixture
def named_embedder(toy_embedder):
    """The toy model under the name of the one that translations were checked with."""
    return UnderName(toy_embedder, "e5-small")


@pytest.fixture
def german_passed(monkeypatch):
    measured_are(monkeypatch, {"de": GERMAN_TABLE})


def rater(embedder, **settings):
    return Rater("purchase-intent", embedder=embedder, **{"floor": None, "language": "auto", **settings})


def test_texts_are_rated_with_anchors_of_their_language(named_embedder, german_passed):
    ratings = rater(named_embedder).rate(ANSWERS)
    assert ratings.language.tolist() == ["en", "de", None, None, "fr", "de"]
    english = Rater("purchase-intent", embedder=named_embedder, floor=None, language="en").rate(ANSWERS)
    german = rater(named_embedder, language="de").rate(ANSWERS)
    assert german.scale == load_scale("purchase-intent", language="de")
    expected = np.where((ratings.language == "de")[:, None], german.pmf, english.pmf)
    np.testing.assert_array_equal(ratings.pmf, expected)
    assert not np.allclose(english.pmf[1], german.pmf[1])
    assert "|translations:de#" in str(ratings.signature)


def test_a_text_is_rated_alone_as_in_company(named_embedder, german_passed):
    together = rater(named_embedder).rate(ANSWERS)
    alone = rater(named_embedder).rate([GERMAN])
    np.testing.assert_array_equal(alone.pmf[0], together.pmf[1])


def test_translations_serve_no_other_model_than_they_passed_with(toy_embedder, german_passed):
    # Of the toy model nothing is known, so German is read: by the English anchors, which is said.
    ratings = rater(toy_embedder).rate(ANSWERS)
    english = Rater("purchase-intent", embedder=toy_embedder, floor=None, language="en").rate(ANSWERS)
    np.testing.assert_array_equal(ratings.pmf, english.pmf)
    assert "|translations:none|" in str(ratings.signature)
    assert ratings.summarize(ANSWERS).document().brief_introduction[0] == (
        "This scale has no anchors in German and French that passed their check with this model, "
        "so their 3 of 5 ratings are by English anchors."
    )
    unread = rater(EnglishReader(toy_embedder)).rate(ANSWERS)
    assert unread.status[unread.language == "de"].tolist() == [Status.OTHER_LANGUAGE] * 2


def test_texts_that_the_model_does_not_read_have_no_rating(toy_embedder, german_passed):
    ratings = rater(EnglishReader(toy_embedder), language=None).rate(ANSWERS)
    assert ratings.status.tolist() == [
        Status.SCORED, Status.OTHER_LANGUAGE, Status.SCORED, Status.MISSING, Status.OTHER_LANGUAGE,
        Status.OTHER_LANGUAGE,
    ]  # fmt: skip
    assert GERMAN not in toy_embedder.embedded
    assert np.isnan(ratings.similarity[1])
    assert np.isnan(ratings.pmf[1]).all()


def test_all_texts_are_rated_if_the_language_is_stated_as_english(toy_embedder):
    ratings = rater(EnglishReader(toy_embedder), language="en").rate(ANSWERS)
    assert ratings.n_left_out == 1
    assert "|language:en" in str(ratings.signature)


GERMAN_ANSWERS = [
    "Das würde ich sofort kaufen.", "Das ist mir viel zu teuer.", "Die Qualität gefällt mir sehr gut.",
    "Damit kann ich leider nichts anfangen.", "Vielleicht kaufe ich es später einmal.",
]  # fmt: skip


def test_most_texts_outside_the_stated_language_raise_a_warning(toy_embedder):
    single = rater(toy_embedder, language="en")
    summary = single.rate(GERMAN_ANSWERS).summarize(GERMAN_ANSWERS)
    # All five are German to any reader.
    assert (summary.other_language.code, summary.other_language.share) == ("de", 1.0)
    assert any(
        warning.endswith(
            "most often German, but the stated language is English. Do not trust these figures, and have the "
            "language of each text recognised (--language auto)."
        )
        for warning in summary.document().brief_sentences("warning")
    )
    assert json.loads(summary.to_json())["other_language"]["name"] == "German"
    english = ["I would buy it if it were cheaper."] * 5
    assert single.rate(english).summarize(english).other_language is None
    identified = rater(toy_embedder, language="auto").rate(GERMAN_ANSWERS).summarize(GERMAN_ANSWERS)
    assert identified.other_language is None


def test_a_rater_refuses_a_language_that_its_model_does_not_read(toy_embedder):
    with pytest.raises(InputError, match="does not read German"):
        rater(EnglishReader(toy_embedder), language="de").rate(ANSWERS)


@pytest.mark.parametrize("language", ["auto", "de"])
def test_off_topic_floor_uses_the_original_anchors(named_embedder, german_passed, language):
    # The toy model compares words: a German anchor is near itself, and shares no word with English anchors.
    german = load_scale("purchase-intent", language="de").anchor_sets["set-1"][3]
    english = Rater("purchase-intent", embedder=named_embedder, floor=0.9, language="en").rate([german])
    ratings = rater(named_embedder, floor=0.9, language=language).rate([german])
    assert ratings.language.tolist() == ["de"]
    assert ratings.similarity[0] == english.similarity[0] < 0.9
    assert ratings.status.tolist() == [Status.OFF_TOPIC]


def test_the_floor_is_the_same_whatever_anchors_rate(named_embedder, german_passed):
    floors = [
        rater(named_embedder, floor="auto", language=language).floor for language in ("en", "auto", "de")
    ]
    assert floors[0] == floors[1] == floors[2]


def test_a_set_that_does_not_serve_in_a_language_has_no_means_there(named_embedder, monkeypatch):
    left = (SETS[0], *SETS[2:])
    measured_are(monkeypatch, {"de": replace(GERMAN_TABLE, anchor_sets=left)})
    ratings = rater(named_embedder).rate([ENGLISH, GERMAN])
    assert ratings.language.tolist() == ["en", "de"]
    # Of the scale's sets five are translated, and one of these does not serve.
    n_sets = len(ratings.scale.anchor_sets)
    serves = [name in left for name in ratings.scale.anchor_sets]
    assert np.isnan(ratings.set_means).tolist() == [[False] * n_sets, [not used for used in serves]]
    german = Rater(load_scale("purchase-intent", language="de").with_sets(left), embedder=named_embedder)
    np.testing.assert_array_equal(ratings.pmf[1], german.rate([GERMAN]).pmf[0])
    assert "|translations:de(set-1,set-3,set-4,set-5)#" in str(ratings.signature)
    # One row was rated under all sets: no correlations of sets, and no figure of the mean is touched.
    summary = ratings.summarize([ENGLISH, GERMAN])
    assert np.isnan(summary.set_agreement).all()
    assert np.isfinite(ratings.mean).all()


def test_a_file_counts_languages_as_the_same_texts_in_memory(named_embedder, german_passed, tmp_path):
    path, out = tmp_path / "answers.jsonl", tmp_path / "rated.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in ANSWERS))
    single = rater(named_embedder)
    summary = rate_table(
        open_table(path), RatingColumns(text="text"), rater=single, out=out, settings=PartSettings(2)
    )
    counted = [(result.language, result.texts, result.rated, result.anchors) for result in summary.languages]
    # Rows without a clear language or without anchors of their own take the English ones.
    assert counted == [("de", 2, 2, "de"), ("en", 1, 1, "en"), ("fr", 1, 1, "en"), (None, 1, 1, "en")]
    assert single.rate(ANSWERS).summarize(ANSWERS).languages == summary.languages
    (rated,) = open_table(out).batches(100)
    assert rated["semscale_language"].to_list() == ["en", "de", None, None, "fr", "de"]


def test_language_that_did_not_pass_is_reported(named_embedder, monkeypatch):
    measured_are(monkeypatch, {})
    ratings = rater(named_embedder, language="de").rate(ANSWERS)
    assert ratings.scale.language == "en"
    summary = ratings.summarize(ANSWERS)
    assert summary.fallback_from == "de"
    message = (
        "This scale has no anchors in German that passed their check with this model, so all ratings are by "
        "English anchors."
    )
    document = summary.document()
    assert document.brief_introduction[0] == document.full_introduction[0] == message
    assert message not in document.sentences("caution")
    assert json.loads(summary.to_json())["without_anchors"] == ["de"]
    assert "|language:de|anchor_language:en" in str(summary.signature)


def test_languages_without_anchors_are_reported_in_automatic_mode(named_embedder, german_passed):
    summary = rater(named_embedder).rate(ANSWERS).summarize(ANSWERS)
    # Of five texts with a rating two are German, with anchors of their own, and one is French, without.
    assert summary.document().brief_introduction[0] == (
        "This scale has no anchors in French that passed their check with this model, "
        "so their 1 of 5 ratings is by English anchors."
    )
    assert json.loads(summary.to_json())["without_anchors"] == ["fr"]
    plain = rater(named_embedder, language=None).rate(ANSWERS).summarize(ANSWERS)
    assert json.loads(plain.to_json())["without_anchors"] == []
    assert plain.document().brief_introduction[0] != summary.document().brief_introduction[0]


def test_it_is_a_setting_of_the_function_too(toy_embedder):
    ratings = semscale.rate(
        [ENGLISH], scale="purchase-intent", embedder=toy_embedder, floor=None, language="en"
    )
    assert ratings.n_scored == 1
