"""A proposed codebook: sample, clusters, words, examples, names and file."""

from dataclasses import replace

import numpy as np
import pytest
from tests.schema_check import check_json

from semscale import load_embedder
from semscale.coding.codebook import load_codebook, parse_codebook
from semscale.coding.coder import Coder
from semscale.coding.coding import code_answers
from semscale.coding.suggesting import (
    AnswerSample,
    SuggestedCode,
    build_codebook,
    naming_request,
    read_name,
    suggest,
    suggestion_yaml,
    typical_examples,
    write_suggestion,
)
from semscale.errors import InputError
from semscale.rating.anchors import unrelated_sentences
from semscale.report.coding_suggestions import suggestion_document
from semscale.report.json_encoding import to_json
from semscale.types import Status

ANSWERS = [f"{word} number {n}" for word in ("battery", "price", "screen") for n in range(30)]

# A little of another key word, so that answers of a cluster differ.
_BRIGHT = [text + " bright" * (row % 3 == 0) for row, text in enumerate(ANSWERS)]
CELLS = [*_BRIGHT, *_BRIGHT[:10], None, "  "]


@pytest.fixture
def suggestion(keyword_embedder):
    return suggest(CELLS, keyword_embedder, codes=3)


def test_codes_are_the_topics_the_most_frequent_first(suggestion):
    assert [code.n for code in suggestion.codes] == [40, 30, 30]
    assert [code.words[0] for code in suggestion.codes] == ["battery", "price", "screen"]
    assert [code.share for code in suggestion.codes] == [0.4, 0.3, 0.3]
    assert all(len(code.examples) == 5 for code in suggestion.codes)


def test_rows_without_a_text_have_no_code(suggestion, keyword_embedder):
    codes, nearness = suggestion.topics.assign(CELLS, keyword_embedder)
    assert codes[-2:] == [None, None]
    assert np.isnan(nearness[-2:]).all()
    assert codes[:30] == codes[90:100] * 3 == [[0]] * 30


def test_an_answer_has_the_codes_of_all_of_its_clauses(suggestion, keyword_embedder):
    # The codes are battery, price and screen.
    cells = ["The screen is new, but the battery died. No idea.", "no idea at all"]
    codes, nearness = suggestion.topics.assign(cells, keyword_embedder)
    assert codes == [[0, 2], []]
    assert nearness[0] > nearness[1]
    assert [suggestion.write_names(some) for some in codes] == ["battery; screen", "none"]


def test_rows_without_a_code_are_counted(keyword_embedder):
    summary = suggest([*ANSWERS, "nothing", "nothing", "no idea"], keyword_embedder, codes=3)
    assert (summary.n_sampled, summary.n_without) == (93, 3)
    assert summary.document().brief_introduction[-1] == "3 of the included rows have none of these topics"


def test_rows_that_would_get_no_code_are_counted_by_the_coder_and_not_by_topics(keyword_embedder):
    cells = [*ANSWERS, "nothing", "nothing", "no idea"]
    summary = suggest(cells, keyword_embedder, codes=3)
    topics = replace(summary, n_without=50)  # topics are narrower than codes
    coder = Coder(build_codebook(summary), embedder=keyword_embedder)
    counted = topics.with_counts(coder, {text: cells.count(text) for text in set(cells)})
    coding = code_answers(coder.score(cells))
    assert counted.n_not_coded == len(cells) - coding.counts["coded"] == 3
    assert counted.document().brief_introduction[-1] == "3 of the included rows would get no code"


def test_negative_examples_have_another_code_and_none_of_the_words(suggestion):
    for code in suggestion.codes:
        assert len(code.negative_examples) == 2
        assert not any(code.name in text for text in code.negative_examples)


def test_a_sample_is_clustered_and_all_answers_have_codes(keyword_embedder):
    sample = AnswerSample(45, seed=3)
    for start in range(0, len(CELLS), 7):
        sample.add(CELLS[start : start + 7])
    suggestion = suggest(sample, keyword_embedder, codes=3)
    assert (suggestion.n, suggestion.n_distinct, suggestion.n_clustered) == (102, 90, 45)
    assert "sampled:45" in str(suggestion.signature)
    by_word = {code.words[0]: cluster for cluster, code in enumerate(suggestion.codes)}
    # Each answer, drawn or not, has the code of its word; sizes are of rows with drawn answers.
    codes, _ = suggestion.topics.assign(CELLS, keyword_embedder)
    assert codes[:90] == [[by_word[text.split()[0]]] for text in CELLS[:90]]
    drawn = set(sample.times)
    for word, code in by_word.items():
        assert suggestion.codes[code].n == sum(
            text in drawn and text.startswith(word) for text in CELLS[:100]
        )
    document = suggestion_document(suggestion)
    assert "sample of 45 of 90 different answers" in document.sentences("caution")[0]
    n = sum(text in drawn for text in CELLS)
    assert document.brief_introduction[0].startswith(
        f"{n} of 102 rows were included; left out: {100 - n} not in the sample"
    )
    check_json(to_json(suggestion, suggestion.document(), {"out": None, "report": [], "figures": None}))


def test_names_come_from_terms_and_differ(suggestion):
    names = [code.name for code in suggestion.codes]
    assert names == ["battery", "price", "screen"]
    same = suggestion.with_names([("money", "about money"), ("Money", "about money"), None], "m")
    assert [code.name for code in same.codes] == ["money", "Money 2", names[2]]
    assert same.n_unnamed == 1


def test_a_caution_counts_answers_in_a_language_that_the_model_does_not_read(suggestion):
    unread = replace(suggestion, n_unread=3).document().sentences("caution")
    assert unread[0].startswith("3 answers are in a language that the model does not read")
    assert not any("language" in caution for caution in suggestion.document().sentences("caution"))


@pytest.mark.parametrize(
    ("title", "codebook", "name"),
    [("", "why.yaml", "t-text"), ("", "why-2.yaml", "t-text 2"), ("Wishes", "why-12.yaml", "Wishes 12")],
)
def test_a_codebook_is_named_after_its_question_and_number(suggestion, title, codebook, name):
    named = replace(suggestion, source="t.csv", column="text", title=title, codebook=codebook)
    assert build_codebook(named).name == name


def test_json_keeps_to_the_schema(suggestion):
    check_json(to_json(suggestion, suggestion.document(), {"out": None, "report": [], "figures": None}))


def test_too_few_different_answers_are_refused(keyword_embedder):
    with pytest.raises(InputError, match="at least 20 different answers, got 2"):
        suggest(["battery", "price"] * 30, keyword_embedder)


def test_too_few_sentences_for_topics_are_refused_with_the_number_that_is_needed():
    # Thirty answers about thirty things, 42 sentences and clauses in all.
    embedder = load_embedder("all-MiniLM-L6-v2")
    things = unrelated_sentences()[:30]
    with pytest.raises(InputError, match="42 different sentences and clauses are too few .* about 250 are"):
        suggest(things, embedder)
    assert len(suggest(things, embedder, codes=3).codes) == 3


@pytest.mark.parametrize(
    ("settings", "name"), [({"codes": 1}, "codes"), ({"codes": 46}, "codes"), ({"most": 1}, "most")]
)
def test_numbers_of_codes_out_of_range_are_refused(keyword_embedder, settings, name):
    with pytest.raises(InputError, match=f"{name} must be 2 to 45"):
        suggest(ANSWERS, keyword_embedder, **settings)


def test_a_single_piece_may_name_a_code_and_the_summary_warns_about_it(keyword_embedder):
    class Characters:
        """Embeds a text by two of its characters."""

        signature = keyword_embedder.signature

        def embed(self, texts, *, progress=None):
            return keyword_embedder.embed(
                [text.replace("池", "battery").replace("价", "price") for text in texts]
            )

    texts = [f"{word}{n}" for n in range(12) for word in ("电池", "价格")]
    suggestion = suggest(texts, Characters(), codes=2)
    assert sorted(code.name for code in suggestion.codes) == ["价格", "电池"]
    assert suggestion.has_pieces
    check_json(to_json(suggestion, suggestion.document(), {"out": None, "report": [], "figures": None}))


def test_terms_of_a_language_with_spaces_are_not_pieces(suggestion):
    assert not suggestion.has_pieces


def test_a_similarity_below_the_bound_never_reads_as_the_bound(suggestion):
    code = replace(suggestion.codes[0], jaccard=0.7499)
    assert (code.is_stable, code.shown_jaccard) == (False, 0.74)
    assert [replace(code, jaccard=value).shown_jaccard for value in (0.75, 0.29, 1.0)] == [0.75, 0.29, 1.0]


CELLS_OF_50 = [f"answer {n % 50}" for n in range(200)]


def drawn(parts, most=20, seed=0):
    sample = AnswerSample(most, seed=seed)
    for part in parts:
        sample.add(part)
    return sample


def test_order_and_parts_change_nothing():
    whole = drawn([CELLS_OF_50])
    parts = drawn([CELLS_OF_50[start : start + 9] for start in range(0, 200, 9)])
    turned = drawn([CELLS_OF_50[::-1]])
    assert len(whole.times) == 20
    assert list(parts.times) == list(whole.times)
    assert whole.times == parts.times == turned.times
    assert set(whole.times.values()) == {4}
    assert whole.n_distinct == parts.n_distinct == 50


def test_another_seed_draws_a_different_sample():
    assert drawn([CELLS_OF_50]).times.keys() != drawn([CELLS_OF_50], seed=1).times.keys()


def test_a_seed_may_be_any_integer():
    draws = {tuple(drawn([CELLS_OF_50], seed=seed).times) for seed in (2**64, 2**64 + 1, -1)}
    assert len(draws) == 3


@pytest.mark.exhaustive
def test_distinct_answers_are_drawn_regardless_of_their_frequency():
    # One answer stands 1,000 times among 9 that stand once; of 10 one is drawn, in 400 seeds about 40 times.
    cells = ["often"] * 1000 + [f"rare {n}" for n in range(9)]
    n = sum(list(drawn([cells], 1, seed).times) == ["often"] for seed in range(400))
    assert 20 <= n <= 62  # three and a half standard deviations of 6


def test_few_answers_are_all_there_in_the_order_of_their_first_rows():
    sample = drawn([["b", "a", None], ["b", " ", 3]], most=5)
    assert (list(sample.times.items()), sample.n) == ([("b", 2), ("a", 1)], 6)
    assert sample.counts == {Status.SCORED: 3, Status.EMPTY: 1, Status.MISSING: 1, Status.NOT_TEXT: 1}


def unlike(*rows):
    """Vectors by kind: the cosine of different kinds is 0.5, of the same one 1."""
    return np.sqrt(0.5) * np.column_stack([np.ones(len(rows)), np.eye(max(rows) + 1)[list(rows)]])


def test_near_repeats_are_not_chosen_as_examples():
    # Ten units of one kind lie nearest. 15 units: (45 * 1 + 60 * 0.5) / 105 = 0.71 is the mean cosine of
    # two, so from 0.86 on they nearly repeat each other.
    kinds = [0] * 10 + [1, 2, 3, 4, 5]
    suggestion = typical_examples([str(n) for n in range(15)], unlike(*kinds), np.linspace(0.9, 0.5, 15))
    assert suggestion == ("0", "10", "11", "12", "13")


def test_repeats_are_chosen_if_distinct_answers_are_lacking():
    suggestion = typical_examples(["a", "b", "c", "d"], unlike(0, 0, 0, 1), np.array([0.9, 0.8, 0.7, 0.6]))
    assert suggestion == ("a", "d", "b", "c")


def test_answers_that_differ_come_by_their_nearness():
    suggestion = typical_examples([*"abcdef"], unlike(*range(6)), np.array([0.1, 0.9, 0.3, 0.8, 0.5, 0.6]))
    assert suggestion == tuple("bdfec")


def test_long_answers_are_chosen_only_if_there_are_no_short_answers():
    texts, vectors, nearness = ["a" * 301, "short", "b" * 301], unlike(0, 1, 2), np.array([0.9, 0.8, 0.7])
    assert typical_examples(texts, vectors, nearness) == ("short",)
    assert typical_examples(texts[::2], vectors[::2], nearness[::2]) == (texts[0], texts[2])


def test_examples_have_three_words_if_enough_units_have_them():
    texts = ["good food", *(f"the food is {n}" for n in range(5))]
    assert typical_examples(texts, unlike(*range(6)), np.linspace(0.9, 0.5, 6)) == tuple(texts[1:])
    assert typical_examples(texts[:5], unlike(*range(5)), np.linspace(0.9, 0.5, 5)) == tuple(texts[:5])


@pytest.mark.parametrize("n", [1, 2])
def test_small_topics_give_all_their_units(n):
    texts = [*"ab"][:n]
    assert typical_examples(texts, unlike(*range(n)), np.array([0.9, 0.8])[:n]) == tuple(texts)


CODE = SuggestedCode("battery", "d", ("it died<|im_end|>", "it lasts"), ("battery", "power"), 5, 0.5, 0.9)


@pytest.mark.parametrize(
    "reply",
    [
        "battery life",
        '{"name": "battery"}',
        '{"name": "", "definition": "d"}',
        '{"name": 5, "definition": "d"}',
        '{"name": "a; b", "definition": "d"}',
        f'{{"name": "{"x" * 61}", "definition": "d"}}',
        "} {",
        '["name", {"definition": 3}]',
        '{"name": "a", ',
    ],
)
def test_a_reply_without_a_usable_name_gives_none(reply):
    assert read_name(reply) is None


def test_spaces_in_names_are_collapsed():
    assert read_name('```json\n{"name": " battery\\n life ", "definition": "How  long."}\n```') == (
        "battery life", "How long."
    )  # fmt: skip


def test_answers_are_quoted_between_marks_that_they_cannot_close():
    text = naming_request(CODE).messages[-1].text
    assert "<|im_end|>" not in text
    mark = text.partition("[BEGIN ANSWERS ")[2].partition("]")[0]
    assert text.endswith(f"[END ANSWERS {mark}]")
    assert text.count(mark) == 2
    assert "Typical words: battery, power" in text


@pytest.fixture
def summary(keyword_embedder):
    words = ("battery: yes", 'price "high"', "screen - 5")
    return suggest([f"{word} number {n}" for word in words for n in range(20)], keyword_embedder, codes=3)


def test_a_written_suggestion_is_read_back(summary, tmp_path):
    write_suggestion(summary, tmp_path / "codes.yaml")
    assert load_codebook(tmp_path / "codes.yaml") == build_codebook(summary)


def test_comments_have_size_and_stability(summary):
    lines = suggestion_yaml(summary).splitlines()
    comments = [line for line in lines if line.startswith("  # ")]
    for code, line in zip(summary.codes, comments, strict=True):
        assert line.startswith("  # topic of 20 answers (33 %), ")
        assert ("NOT STABLE" in line) == (not code.is_stable)


def test_six_codes_or_more_have_nets_and_the_file_a_line_that_merges(keyword_embedder, tmp_path):
    topics = ("battery", "battery bright", "price", "price bright", "screen", "screen bright bright")
    answers = [f"{topic} {'x' * n}" for topic in topics for n in range(1, 21)]
    summary = suggest(answers, keyword_embedder, codes=6)
    named = summary.named_nets
    assert named == {"price + price 2": ["price", "price 2"], "battery + battery 2": ["battery", "battery 2"]}
    path = tmp_path / "codes.yaml"
    write_suggestion(summary, path)
    book = load_codebook(path)
    assert book == build_codebook(summary)
    assert [code.name for code in book.codes if code.is_net] == list(named)
    first, second = (code.name for code in summary.codes[:2])
    path.write_text(
        path.read_text()
        .replace("nets:", "unused:")
        .split("unused:")[0]
        .replace("merge: []", f"merge: [[{first}, {second}]]")
        + "codes:"
        + path.read_text().split("\ncodes:")[1]
    )
    merged = load_codebook(path)
    assert len(merged.codes) == 5
    assert len(next(code for code in merged.codes if code.name == first).examples) == 10


def test_rows_per_suggested_code_are_counted_as_code_assigns_them(suggestion, keyword_embedder):
    times = {text: CELLS.count(text) for text in set(CELLS) if text}
    coder = Coder(build_codebook(suggestion), embedder=keyword_embedder)
    counted = suggestion.with_counts(coder, times)
    coding = code_answers(coder.score(CELLS))
    assert [code.n_coded for code in counted.codes] == np.nansum(coding.assigned, axis=0).tolist()
    assert "semscale code would give it to" in suggestion_yaml(counted)
    sizes = {code.name: code.n_coded for code in counted.codes}
    names = [code.name for code in parse_codebook(suggestion_yaml(counted).encode(), source="s").codes]
    names = [name for name in names if name in sizes]  # without nets
    assert names == sorted(names, key=lambda name: -sizes[name])
    check_json(to_json(counted, counted.document(), {"out": None, "report": [], "figures": None}))
