"""A proposed codebook: sample, clusters, words, examples, names and file."""

from dataclasses import replace

import numpy as np
import pytest
from tests.schema_check import check_json

from semscale.coding.codebook import load_codebook
from semscale.coding.coder import Coder
from semscale.coding.coding import code_answers
from semscale.coding.suggesting import (
    AnswerSample,
    SuggestedCode,
    build_codebook,
    cluster_answers,
    naming_request,
    read_name,
    suggest,
    suggestion_yaml,
    typical_examples,
    write_suggestion,
)
from semscale.errors import InputError
from semscale.report.coding import suggestion_document
from semscale.report.json_encoding import to_json
from semscale.types import Status

ANSWERS = [f"{word} number {n}" for word in ("battery", "price", "screen") for n in range(30)]

# A little of another key word, so that answers of a cluster differ.
_BRIGHT = [text + " bright" * (row % 3 == 0) for row, text in enumerate(ANSWERS)]
CELLS = [*_BRIGHT, *_BRIGHT[:10], None, "  "]


@pytest.fixture
def found(key_words):
    return suggest(CELLS, key_words, codes=3)


def test_clusters_are_the_topics_the_largest_first(found):
    assert [code.n for code in found.codes] == [40, 30, 30]
    assert [code.words[0] for code in found.codes] == ["battery", "price", "screen"]
    assert sum(code.share for code in found.codes) == pytest.approx(1)
    assert all(len(code.examples) == 5 for code in found.codes)


def test_rows_without_a_text_have_no_code(found, key_words):
    place, nearness = found.clusters.assign(CELLS, key_words)
    assert place[-2:].tolist() == [-1, -1]
    assert np.isnan(nearness[-2:]).all()
    assert (place[:30] == 0).all()
    assert (place[90:100] == 0).all()


def test_of_many_answers_a_sample_is_clustered_and_others_take_the_nearest_code(key_words):
    sample = AnswerSample(45, seed=3)
    for start in range(0, len(CELLS), 7):
        sample.add(CELLS[start : start + 7])
    found = suggest(sample, key_words, codes=3)
    assert (found.n, found.n_distinct, found.n_clustered) == (102, 90, 45)
    assert "sampled:45" in str(found.signature)
    by_word = {code.words[0]: place for place, code in enumerate(found.codes)}
    # Each answer, drawn or not, is in the cluster of its word; sizes are of rows with drawn answers.
    place, _ = found.clusters.assign(CELLS, key_words)
    assert place[:90].tolist() == [by_word[text.split()[0]] for text in CELLS[:90]]
    drawn = set(sample.times)
    for word, code in by_word.items():
        assert found.codes[code].n == sum(text in drawn and text.startswith(word) for text in CELLS[:100])
    document = suggestion_document(found)
    assert "sample of 45 of 90 different answers" in document.cautions[0]
    n = sum(text in drawn for text in CELLS)
    assert document.counting[0].startswith(
        f"{n} of 102 rows were included; left out: {100 - n} not in the sample"
    )
    check_json(to_json(found, cautions=(), out=None, report=None, figures=None))


def test_names_come_from_words_and_differ(found):
    names = [code.name for code in found.codes]
    assert names == ["battery", "price", "screen"]
    same = found.with_names([("money", "about money"), ("Money", "about money"), None], "m")
    assert [code.name for code in same.codes] == ["money", "Money 2", names[2]]
    assert same.n_unnamed == 1


def test_json_keeps_to_the_schema(found):
    check_json(to_json(found, cautions=(), out=None, report=None, figures=None))


def test_too_few_different_answers_are_refused(key_words):
    with pytest.raises(InputError, match="at least 20 different answers, got 2"):
        suggest(["battery", "price"] * 30, key_words)


@pytest.mark.parametrize(
    ("settings", "name"), [({"codes": 1}, "codes"), ({"codes": 46}, "codes"), ({"most": 1}, "most")]
)
def test_numbers_of_codes_out_of_range_are_refused(key_words, settings, name):
    with pytest.raises(InputError, match=f"{name} must be 2 to 45"):
        suggest(ANSWERS, key_words, **settings)


def test_a_piece_names_a_code_alone_and_the_summary_says_that_it_may_be_no_word(key_words):
    class Characters:
        """Embeds a text by two of its characters."""

        signature = key_words.signature

        def embed(self, texts, *, progress=None):
            return key_words.embed([text.replace("池", "battery").replace("价", "price") for text in texts])

    texts = [f"{word}{n}" for n in range(12) for word in ("电池", "价格")]
    found = suggest(texts, Characters(), codes=2)
    assert sorted(code.name for code in found.codes) == ["价格", "电池"]
    assert found.has_pieces
    check_json(to_json(found, cautions=(), **dict.fromkeys(("out", "report", "figures"))))


def test_words_of_a_language_with_spaces_are_no_pieces(found):
    assert not found.has_pieces


def test_a_similarity_below_the_bound_never_reads_as_the_bound(found):
    code = replace(found.codes[0], jaccard=0.7499)
    assert (code.is_stable, code.shown_jaccard) == (False, 0.74)
    assert [replace(code, jaccard=value).shown_jaccard for value in (0.75, 0.29, 1.0)] == [0.75, 0.29, 1.0]


@pytest.mark.parametrize(("settings", "is_most"), [({"most": 2}, True), ({"codes": 2}, False)])
def test_the_most_codes_that_were_tried_are_told_of(key_words, settings, is_most):
    found = suggest(ANSWERS, key_words, **settings)
    assert (len(found.codes), found.is_most) == (2, is_most)
    said = suggestion_document(found).cautions
    assert any("2 codes are the most that were tried" in caution for caution in said) == is_most


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


def test_another_seed_draws_others():
    assert drawn([CELLS_OF_50]).times.keys() != drawn([CELLS_OF_50], seed=1).times.keys()


def test_a_seed_may_be_any_integer():
    draws = {tuple(drawn([CELLS_OF_50], seed=seed).times) for seed in (2**64, 2**64 + 1, -1)}
    assert len(draws) == 3


@pytest.mark.exhaustive
def test_every_answer_is_drawn_as_often_however_frequent_it_is():
    # One answer stands 1,000 times among 9 that stand once; of 10 one is drawn, in 400 seeds about 40 times.
    cells = ["often"] * 1000 + [f"rare {n}" for n in range(9)]
    n = sum(list(drawn([cells], 1, seed).times) == ["often"] for seed in range(400))
    assert 20 <= n <= 62  # three and a half standard deviations of 6


def test_few_answers_are_all_there_in_the_order_of_their_first_rows():
    sample = drawn([["b", "a", None], ["b", " ", 3]], most=5)
    assert (list(sample.times.items()), sample.n) == ([("b", 2), ("a", 1)], 6)
    assert sample.counts == {Status.SCORED: 3, Status.EMPTY: 1, Status.MISSING: 1, Status.NOT_TEXT: 1}


TWO_KINDS = [f"{word} {n}" + " screen" * (n % 4 == 0) for word in ("battery", "price") for n in range(15)]


@pytest.fixture
def clusters(key_words):
    vectors = key_words.embed(TWO_KINDS).vectors.astype(np.float64)
    return cluster_answers(TWO_KINDS, vectors, [1] * 30, codes=2, most=15, seed=0)


def test_nearness_is_the_cosine_with_the_mean_of_the_cluster(clusters, key_words):
    vectors = key_words.embed(TWO_KINDS).vectors.astype(np.float64)
    mean = vectors[clusters.labels == clusters.labels[0]].mean(axis=0)
    cosine = vectors[0] @ mean / (np.linalg.norm(vectors[0]) * np.linalg.norm(mean))
    assert clusters.nearness[0] == pytest.approx(cosine)


def test_new_answers_take_the_nearest_cluster_and_known_ones_their_own(clusters, key_words):
    labels, nearness = clusters.assign(["price of all", TWO_KINDS[0], None, "price of all"], key_words)
    assert labels.tolist() == [clusters.labels[15], clusters.labels[0], -1, clusters.labels[15]]
    assert nearness[1] == clusters.nearness[0]
    assert np.isnan(nearness[2])
    # An answer that was clustered has the same cluster and nearness when it is taken for a new one.
    new = clusters.nearest(key_words.embed(TWO_KINDS).vectors.astype(np.float64))
    assert new[0].tolist() == clusters.labels.tolist()
    assert new[1] == pytest.approx(clusters.nearness)


def unlike(*rows):
    """Vectors by kind: the cosine of different kinds is 0.5, of the same one 1."""
    return np.sqrt(0.5) * np.column_stack([np.ones(len(rows)), np.eye(max(rows) + 1)[list(rows)]])


def test_answers_that_nearly_repeat_another_are_not_taken():
    # Ten answers of one kind lie nearest. 15 answers: (45 * 1 + 60 * 0.5) / 105 = 0.71 is the mean cosine of
    # two, so from 0.86 on they nearly repeat each other.
    kinds = [0] * 10 + [1, 2, 3, 4, 5]
    found = typical_examples([str(n) for n in range(15)], unlike(*kinds), np.linspace(0.9, 0.5, 15))
    assert found == ("0", "10", "11", "12", "13")


def test_repeats_are_taken_where_others_are_lacking():
    found = typical_examples(["a", "b", "c", "d"], unlike(0, 0, 0, 1), np.array([0.9, 0.8, 0.7, 0.6]))
    assert found == ("a", "d", "b", "c")


def test_answers_that_differ_come_by_their_nearness():
    found = typical_examples([*"abcdef"], unlike(*range(6)), np.array([0.1, 0.9, 0.3, 0.8, 0.5, 0.6]))
    assert found == tuple("bdfec")


def test_long_answers_are_taken_only_where_there_are_no_short_ones():
    texts, vectors, nearness = ["a" * 301, "short", "b" * 301], unlike(0, 1, 2), np.array([0.9, 0.8, 0.7])
    assert typical_examples(texts, vectors, nearness) == ("short",)
    assert typical_examples(texts[::2], vectors[::2], nearness[::2]) == (texts[0], texts[2])


@pytest.mark.parametrize("n", [1, 2])
def test_small_clusters_give_all_their_answers(n):
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
def test_a_reply_without_a_usable_name_is_none(reply):
    assert read_name(reply) is None


def test_spaces_are_made_one():
    assert read_name('```json\n{"name": " battery\\n life ", "definition": "How  long."}\n```') == (
        "battery life", "How long."
    )  # fmt: skip


def test_answers_stand_between_marks_and_cannot_close_them():
    text = naming_request(CODE).messages[-1].text
    assert "<|im_end|>" not in text
    mark = text.partition("[BEGIN ANSWERS ")[2].partition("]")[0]
    assert text.endswith(f"[END ANSWERS {mark}]")
    assert text.count(mark) == 2
    assert "Typical words: battery, power" in text


@pytest.fixture
def summary(key_words):
    words = ("battery: yes", 'price "high"', "screen - 5")
    return suggest([f"{word} number {n}" for word in words for n in range(20)], key_words, codes=3)


def test_what_is_written_is_read_again(summary, tmp_path):
    write_suggestion(summary, tmp_path / "codes.yaml")
    assert load_codebook(tmp_path / "codes.yaml") == build_codebook(summary)


def test_comments_have_size_and_stability(summary):
    lines = suggestion_yaml(summary).splitlines()
    comments = [line for line in lines if line.startswith("  # ")]
    for code, line in zip(summary.codes, comments, strict=True):
        assert line.startswith("  # cluster of 20 answers (33 %), ")
        assert ("NOT STABLE" in line) == (not code.is_stable)


def test_six_codes_or_more_have_nets_and_the_file_a_line_that_merges(key_words, tmp_path):
    topics = ("battery", "battery bright", "price", "price bright", "screen", "screen bright bright")
    answers = [f"{topic} {'x' * n}" for topic in topics for n in range(1, 21)]
    summary = suggest(answers, key_words, codes=6)
    named = summary.named_nets
    assert sorted(code for codes in summary.nets for code in codes) <= list(range(6))
    assert all(name == " + ".join(codes[:2]) for name, codes in named.items())
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


def test_the_rows_that_each_code_would_get_are_counted_as_code_assigns_them(found, key_words):
    times = {text: CELLS.count(text) for text in set(CELLS) if text}
    coder = Coder(build_codebook(found), embedder=key_words)
    counted = found.with_counts(coder, times)
    coding = code_answers(coder.score(CELLS))
    assert [code.n_coded for code in counted.codes] == np.nansum(coding.assigned, axis=0).tolist()
    assert "semscale code would give it to" in suggestion_yaml(counted)
    check_json(to_json(counted, cautions=(), out=None, report=None, figures=None))
