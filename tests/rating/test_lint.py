"""The linter of scales."""

import dataclasses
import re

import numpy as np
import pytest

from semscale.embedding import load_embedder
from semscale.embedding.embedder import Embeddings
from semscale.errors import InputError
from semscale.rating.anchors import unrelated_probes, unrelated_sentences
from semscale.rating.lint import (
    Ladder,
    LintFinding,
    cosine_at,
    due_masses,
    judge_scale,
    lint,
    random_pair_cosine,
    reliability,
    worst,
)
from semscale.scales import Scale, load_scale, scale_names
from semscale.signature import Signature

LABELS = ("low", "middle", "high")

# The example of the reference implementation's guide, in which "Neutral" is nearly never chosen.
GUIDE = ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")


class AngleEmbedder:
    """Texts are angles in degrees: "30" is (cos 30, sin 30); the cosine of two texts is that of their gap.

    The linter's 50 unrelated sentences in a language lie half and half at two angles that are ``apart``, the
    anchors of ``quality`` 20 degrees apart from point to point.
    """

    dimensions = 2
    signature = Signature.of("embed", model="angles")

    def __init__(self, apart=180, language="en"):
        sentences = unrelated_sentences(language)
        self.unrelated = {text: apart * (index % 2) for index, text in enumerate(sentences)}
        for anchors in load_scale("quality").anchor_sets.values():
            self.unrelated |= {anchor: 20 * point for point, anchor in enumerate(anchors)}

    def embed(self, texts, *, progress=None):
        degrees = [self.unrelated.get(text, text.split()[0]) for text in texts]
        angles = np.radians(np.array(degrees, dtype=float))
        vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
        return Embeddings(vectors, np.ones(len(texts), dtype=np.int64))


def scale(probes=(), labels=LABELS, language="en", **anchor_sets):
    return Scale(
        language=language,
        name="angles",
        title="Angles",
        question="How wide?",
        provenance="a test",
        points=[{"value": i + 1, "label": label} for i, label in enumerate(labels)],
        anchor_sets={
            name: tuple(anchor.zfill(3) for anchor in anchors) for name, anchors in anchor_sets.items()
        },
        probes=probes,
    )


def probes(*pairs):
    return [{"text": text, "level": level} for text, level in pairs]


LADDER = probes(("5 a", 1), ("12 a", 1), ("44 a", 2), ("48 a", 2), ("80 a", 3), ("87 a", 3))

GOOD = {"a": ("0", "45", "90"), "b": ("4", "46", "86")}


def verdicts(report, criterion):
    return [(entry.verdict, entry.anchor_set) for entry in report.findings if entry.criterion == criterion]


def test_a_good_scale_passes():
    report = lint(scale(LADDER, **GOOD), embedder=AngleEmbedder())
    assert report.findings == ()
    assert report.verdict == "pass"
    assert report.reasons == ("every criterion is met",)
    assert [entry.verdict for entry in report.sets] == ["pass", "pass"]


def test_measurements_of_a_set():
    entry = lint(scale(LADDER, **GOOD), embedder=AngleEmbedder()).sets[0]
    half = np.sqrt(0.5)
    np.testing.assert_allclose(entry.cosines, [[1, half, 0], [half, 1, half], [0, half, 1]], atol=1e-7)
    np.testing.assert_allclose(entry.neighbours, [half, half], atol=1e-7)
    assert entry.ends == pytest.approx(0, abs=1e-7)
    # 0 degrees: cosines and masses 1, .7071, 0, over 1.7071: mean (1 + 2 * .7071) / 1.7071 = 1.4142.
    # 45 degrees: cosines .7071, 1, .7071, so all mass lies on the middle point.
    np.testing.assert_allclose(entry.own_scores, [np.sqrt(2), 2, 4 - np.sqrt(2)], atol=1e-6)
    # The other set's low anchor, 4 degrees: cosines .99756, .75471, .06976; masses .92780, .68495, 0.
    assert entry.other_scores[0] == pytest.approx((0.92780 + 2 * 0.68495) / 1.61275, abs=1e-4)


def test_measurements_of_the_ladder():
    ends = scale(probes(("90 a", 3), ("0 a", 1)), a=GOOD["a"])
    report = lint(ends, embedder=AngleEmbedder(), readout="ssr")
    assert report.probes == ("0 a", "90 a")
    assert report.levels.tolist() == [1, 3]
    np.testing.assert_allclose(report.ladder.means, [np.sqrt(2), 4 - np.sqrt(2)], atol=1e-6)
    assert report.ladder.spread == pytest.approx((4 - 2 * np.sqrt(2)) / 2, abs=1e-6)
    assert report.ladder.spearman == 1
    # Masses of 0 degrees: .5858, .4142, 0; of 90 degrees the same backwards.
    np.testing.assert_allclose(report.ladder.peak_mass, [0.5858, 0.4142, 0.5858], atol=1e-4)
    np.testing.assert_allclose(report.ladder.prominence, [1, 0.7071, 1], atol=1e-4)


def test_probes_are_rated_by_the_readout_that_is_named():
    # Slopes of 0, 45 and 90 degrees under anchors at 0, 45, 90: -.5, 0, .5, as cosines are 1, .7071, 0. The
    # positions on the line through them are 1, 2, 3. Thresholds lie at 1.5 and 2.5, which is
    # .5 / (.45 * .8165) = 1.3608 standard deviations from the middle point: it has 2 Phi(1.3608) - 1 = .8264.
    middle = scale(probes(("0 a", 1), ("45 a", 2), ("90 a", 3)), a=GOOD["a"])
    report = lint(middle, embedder=AngleEmbedder(), readout="ordinal")
    np.testing.assert_allclose(report.ladder.pmf[1], [0.0868, 0.8264, 0.0868], atol=1e-4)
    assert dict(report.signature.fields)["readout"] == "ordinal"
    assert dict(lint(middle, embedder=AngleEmbedder()).signature.fields)["readout"] == "combined"


@pytest.mark.parametrize(("readout", "verdict"), [("ssr", []), ("combined", [("warn", None)])])
def test_ratings_by_ssr_may_spread_less(readout, verdict):
    # Between .10, the bound of SSR, and .20, that of the other readouts.
    pmf = np.array([[0.575, 0.0, 0.425], [0.0, 1.0, 0.0], [0.425, 0.0, 0.575]])
    ladder = Ladder(pmf, pmf @ [1, 2, 3], np.ones(3), np.ones(3), 0.15, 1.0)
    findings = judge_scale(scale(**GOOD), ladder, np.array([1.0, 2.0, 3.0]), 0.9, readout=readout)
    assert [(entry.verdict, entry.anchor_set) for entry in findings if entry.criterion == "spread"] == verdict


def test_length_that_rises_with_the_point_warns_and_names_a_set():
    # Lengths of a: 3, 3, 6, of which the ranks 1.5, 1.5, 3 have r = .866 with 1, 2, 3; of b: 3, 6, 9, r = 1.
    rising = scale(LADDER, a=("000", "045", "090   x"), b=("004", "046  x", "086     x"))
    (finding,) = (
        entry for entry in lint(rising, embedder=AngleEmbedder()).findings if entry.criterion == "length"
    )
    assert (finding.verdict, finding.anchor_set) == ("warn", None)
    assert "rank correlation 0.93 over the sets" in finding.reason
    assert finding.reason.endswith("highest in set 'b'")


def test_length_that_rises_in_some_sets_only_passes():
    # Rank correlations .866 and -1: their mean is below .6.
    mixed = scale(LADDER, a=("000", "045", "090   x"), b=("004     x", "046  x", "086"))
    assert verdicts(lint(mixed, embedder=AngleEmbedder()), "length") == []


def test_single_set_has_no_agreement():
    report = lint(scale(LADDER, a=GOOD["a"]), embedder=AngleEmbedder())
    assert verdicts(report, "agreement") == [("warn", None)]
    assert np.isnan(report.sets[0].other_scores).all()
    assert np.isnan(report.reliability)
    assert report.agreement.tolist() == [[1.0]]


def test_anchors_out_of_order_fail():
    # The middle, 40 degrees, has cosines .766, 1, .819: mean 2.18. The top, 5, has .996, .819, 1: mean 2.01.
    report = lint(scale(LADDER, a=("0", "40", "5"), b=GOOD["b"]), embedder=AngleEmbedder())
    assert ("fail", "a") in verdicts(report, "order")
    assert report.verdict == "fail"
    assert report.reasons[0].startswith("fail: ")


def test_scores_that_print_alike_are_no_wrong_order():
    # 45 degrees has cosines .7071, 1 and .7083 with 0, 45 and .1: masses 0, .2929, .0012, mean 2.0042.
    # An angle of .1 has 1, .7083 and 1: masses .2917, 0, .2917, mean 2.
    tie = lint(scale(LADDER, a=("000", "045", "000.1"), b=GOOD["b"]), embedder=AngleEmbedder())
    assert tie.sets[0].own_scores[1:].tolist() == pytest.approx([2.0042, 2], abs=1e-4)
    assert ("fail", "a") not in verdicts(tie, "order")
    # With .5 degrees, means are 2.0207 and 2.
    step = lint(scale(LADDER, a=("000", "045", "000.5"), b=GOOD["b"]), embedder=AngleEmbedder())
    assert ("fail", "a") in verdicts(step, "order")


def test_reversed_set_fails_agreement_and_lowers_reliability():
    backwards = lint(scale(LADDER, **GOOD, c=("90", "45", "0")), embedder=AngleEmbedder())
    # Set a agrees with b (r near 1) and disagrees with c (r near -1): a mean near 0; c disagrees with both.
    assert ("warn", "c") in verdicts(backwards, "agreement")
    assert ("warn", "c") in verdicts(backwards, "order")
    # Only advice that helps is given: a set that contradicts the others is better removed.
    advised = {(entry.criterion, entry.anchor_set): entry.advice for entry in backwards.findings}
    assert advised["agreement", "c"] == "remove it"
    assert advised["order", "c"] == ""
    assert backwards.reliability < 0
    assert ("fail", None) in verdicts(backwards, "agreement")


@pytest.mark.parametrize(
    ("high", "verdict"),
    # cos 27 = .891; cos 24 = .914; cos 16 = .961
    [("72", []), ("69", [("warn", "a")]), ("61", [("fail", "a")])],
)
def test_neighbours_that_are_too_alike(high, verdict):
    report = lint(scale(LADDER, a=("0", "45", high), b=GOOD["b"]), embedder=AngleEmbedder())
    assert verdicts(report, "neighbours") == verdict


@pytest.mark.parametrize(
    ("anchors", "verdict"),
    # Ends 0 and 40: cosine .766. Neighbours 0-85 and 85-40: (.087 + .707) / 2 = .397, a gap of .37.
    # Ends 0 and 65: .423. Neighbours 0-85 and 85-65: (.087 + .940) / 2 = .513.
    # Ends 0 and 60: .500. Neighbours 0-85 and 85-60: (.087 + .906) / 2 = .497.
    [(("0", "85", "40"), [("fail", "a")]), (("0", "85", "65"), []), (("0", "85", "60"), [("warn", "a")])],
)
def test_ends_that_are_as_alike_as_neighbours(anchors, verdict):
    report = lint(scale(LADDER, a=anchors, b=GOOD["b"]), embedder=AngleEmbedder())
    assert verdicts(report, "ends") == verdict


def test_bounds_on_cosines_start_where_the_models_random_pairs_lie():
    # 25 sentences at 0 and 25 at 60 degrees: of 1,225 pairs 600 have cosine 1 and 625 have .5: mean .74490.
    # Neighbours warn from .74490 + .90 * .25510 = .97449 on, and fail from .98724 on.
    def findings_for(high):
        alike = scale(LADDER, a=("0", "45", high), b=GOOD["b"])
        report = lint(alike, embedder=AngleEmbedder(apart=60))
        assert report.random_cosine == pytest.approx(0.744898, abs=1e-6)
        return verdicts(report, "neighbours")

    assert findings_for("61") == []  # cos 16 = .96126
    assert findings_for("57") == [("warn", "a")]  # cos 12 = .97815
    assert findings_for("54") == [("fail", "a")]  # cos 9 = .98769


def test_random_pairs_are_in_the_language_of_the_anchors():
    # This embedder knows no other sentence: one in English would stop it.
    german = lint(scale(LADDER, language="de", **GOOD), embedder=AngleEmbedder(apart=60, language="de"))
    assert german.random_cosine == pytest.approx(0.744898, abs=1e-6)


def test_two_points_are_ends_and_neighbours_at_once():
    two = scale(probes(("0 a", 1), ("90 a", 2)), labels=("low", "high"), a=("0", "90"), b=("10", "80"))
    assert lint(two, embedder=AngleEmbedder()).verdict == "pass"


def test_a_dead_point_fails():
    # "180" is the least similar anchor of every probe below 112.5 degrees, so it never gets any mass.
    dead = scale(LADDER, a=("180", "0", "90"), b=("179", "4", "86"))
    report = lint(dead, embedder=AngleEmbedder(), readout="ssr")
    assert report.ladder.peak_mass[0] == 0
    assert ("fail", None) in verdicts(report, "dead point")
    assert {("warn", "a"), ("warn", "b")} <= set(verdicts(report, "dead point"))


def test_a_scale_that_does_not_climb_fails():
    flat = probes(("80 a", 1), ("87 a", 1), ("44 a", 2), ("48 a", 2), ("5 a", 3), ("12 a", 3))
    report = lint(scale(flat, **GOOD), embedder=AngleEmbedder())
    assert report.ladder.spearman < 0
    assert verdicts(report, "ladder") == [("fail", None)]
    assert verdicts(report, "spread") == [("fail", None)]


def test_default_probes_are_used_without_an_order_check(toy_embedder):
    report = lint(scale(a=("so bad", "so so", "so good"), b=("bad", "fair", "good")), embedder=toy_embedder)
    assert len(report.probes) > 200
    assert np.isnan(report.levels).all()
    assert np.isnan(report.ladder.spread)
    assert np.isnan(report.ladder.spearman)
    assert ("warn", None) in verdicts(report, "ladder")


def test_masses_where_they_are_due():
    # Both probes of level 1 give the low point .5 and .7: .6 of the mass, 1.8 even shares of 1/3.
    pmf = np.array([[0.5, 0.5, 0.0], [0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])
    ladder = Ladder(pmf, pmf @ [1, 2, 3], pmf.max(axis=0), np.ones(3), 0.5, 1.0)
    due = due_masses(scale(**GOOD), ladder, np.array([1.0, 1.0, 3.0]))
    np.testing.assert_allclose(due, [1.8, np.nan, 2.1])


@pytest.mark.parametrize(("share", "verdict"), [(0.27, []), (0.26, ["warn"]), (0.16, ["fail"])])
def test_a_point_that_gets_little_where_it_is_due(share, verdict):
    # In even shares of 1/3: .27 is .81, .26 is .78, .16 is .48; the bounds are .8 and .5.
    pmf = np.array([[0.9, 0.1, 0.0], [1 - share, share, 0.0], [0.0, 0.1, 0.9]])
    ladder = Ladder(pmf, pmf @ [1, 2, 3], np.ones(3), np.ones(3), 0.5, 1.0)
    findings = judge_scale(scale(**GOOD), ladder, np.array([1.0, 2.0, 3.0]), 0.9)
    assert [entry.verdict for entry in findings] == verdict


@pytest.mark.parametrize(
    ("alpha", "verdict"),
    [(0.6, []), (0.59, ["warn"]), (0.0, ["warn"]), (-0.01, ["fail"]), (np.nan, ["fail"])],
)
def test_reliability_is_judged(alpha, verdict):
    pmf = np.eye(3)
    ladder = Ladder(pmf, pmf @ [1, 2, 3], np.ones(3), np.ones(3), 0.5, 1.0)
    findings = judge_scale(scale(**GOOD), ladder, np.array([1.0, 2.0, 3.0]), alpha)
    assert [entry.verdict for entry in findings] == verdict


def test_reliability_by_hand():
    # Mean r of three sets (.8 + .4 + .6) / 3 = .6; alpha = 3 * .6 / (1 + 2 * .6) = .8182.
    agreement = np.array([[1, 0.8, 0.4], [0.8, 1, 0.6], [0.4, 0.6, 1]])
    assert reliability(agreement) == pytest.approx(1.8 / 2.2)
    assert np.isnan(reliability(np.ones((1, 1))))
    assert reliability(np.array([[1.0, -1.0], [-1.0, 1.0]])) == -np.inf
    assert np.isnan(reliability(np.array([[1.0, np.nan], [np.nan, 1.0]])))


def test_worst():
    assert worst(LintFinding(verdict, "", None, "") for verdict in ("pass", "fail", "warn")) == "fail"


def test_to_frame_has_a_row_per_set():
    frame = lint(scale(LADDER, **GOOD), embedder=AngleEmbedder()).to_frame()
    assert frame["anchor_set"].to_list() == ["a", "b"]
    assert frame["verdict"].to_list() == ["pass", "pass"]


def test_a_report_cannot_be_changed_and_is_signed():
    report = lint(scale(LADDER, **GOOD), embedder=AngleEmbedder())
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.findings = ()
    assert f"scale:angles#{report.scale.content_hash}" in str(report.signature)
    assert str(report.signature).endswith("model:angles")


def test_an_unknown_scale_is_refused(toy_embedder):
    with pytest.raises(InputError, match="unknown scale"):
        lint("zzz", embedder=toy_embedder)


@pytest.fixture(
    scope="module", params=["all-MiniLM-L6-v2", pytest.param("e5-small", marks=pytest.mark.exhaustive)]
)
def library(request):
    model = load_embedder(request.param)
    return request.param, {name: lint(name, embedder=model) for name in scale_names()}


@pytest.mark.parametrize("name", scale_names())
def test_every_shipped_scale_passes_or_its_card_says_why_not(library, name):
    model, reports = library
    assert reports[name].verdict != "fail"
    warned = re.search(r"The linter warns with ([^:]*):", load_scale(name).notes)
    assert (warned is not None and model in warned[1]) == (reports[name].verdict == "warn")


@pytest.mark.parametrize("name", scale_names())
def test_no_shipped_point_is_dead(library, name):
    assert (library[1][name].ladder.peak_mass > 0.1).all()


def test_the_guides_labels_fail(embedder):
    source = load_scale("agreement")
    labels = tuple(point.label for point in source.points)
    pairs = [{"text": probe.text, "level": probe.level} for probe in source.probes]
    report = lint(scale(pairs, labels=labels, guide=GUIDE), embedder=embedder, readout="ssr")
    assert {"order", "ends", "dead point"} <= {
        entry.criterion for entry in report.findings if entry.verdict == "fail"
    }
    # "Neutral" gets exactly nothing from most of the ladder.
    assert (report.ladder.pmf[:, 2] == 0).mean() > 0.7


@pytest.mark.parametrize(
    "anchors",
    [
        ("1", "2", "3", "4", "5"),
        ("one star", "two stars", "three stars", "four stars", "five stars"),
        tuple(
            f"How good is it? I would say it is {word}."
            for word in ("very bad", "bad", "fair", "good", "great")
        ),
    ],
)
def test_known_bad_anchors_fail(embedder, anchors):
    source = load_scale("quality")
    pairs = [{"text": probe.text, "level": probe.level} for probe in source.probes]
    report = lint(scale(pairs, labels=source.labels, bad=anchors), embedder=embedder)
    assert report.verdict == "fail"


@pytest.mark.parametrize(("language", "pairs"), [("en", "en"), ("de", "de"), ("fi", "en")])
def test_the_signature_names_the_language_of_the_random_pairs(language, pairs):
    # The unrelated sentences are not translated into Finnish.
    report = lint(scale(LADDER, language=language, **GOOD), embedder=AngleEmbedder(language=language))
    assert dict(report.signature.fields)["random_pairs"] == pairs


def test_the_signature_has_the_hash_of_the_probes():
    def signed(*pairs):
        return str(lint(scale(probes(*pairs), **GOOD), embedder=AngleEmbedder()).signature)

    usual = [("0 a", 1), ("90 a", 3)]
    # SHA-256 of ["0 a","90 a"],[1.0,3.0] in brackets, by sha256sum.
    assert "|probes:2#28687ed1|" in signed(*usual)
    assert signed(*reversed(usual)) == signed(*usual)  # ordered by level before they are used
    assert signed(("0 a", 1), ("89 a", 3)) != signed(*usual)
    assert signed(("0 a", 1), ("90 a", 2)) != signed(*usual)


def test_unrelated_sentences_are_the_everyday_and_factual_groups():
    groups = unrelated_probes()
    assert unrelated_sentences() == (*groups["everyday"], *groups["factual"])


def test_they_are_in_the_language_that_is_asked_for_where_they_are_translated():
    assert unrelated_sentences("fr") == tuple(
        sentence for group in ("everyday", "factual") for sentence in unrelated_probes("fr")[group]
    )
    assert not set(unrelated_sentences("fr")) & set(unrelated_sentences())
    assert unrelated_sentences("fi") == unrelated_sentences()


def test_the_mean_of_all_pairs():
    # Cosines of three vectors: 0, .6, .8; their mean is 1.4 / 3. A vector with itself is no pair.
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    assert random_pair_cosine(vectors) == pytest.approx(1.4 / 3)


def test_a_negative_mean_counts_as_none():
    assert random_pair_cosine(np.array([[1.0, 0.0], [-1.0, 0.0]])) == 0


@pytest.mark.parametrize(("share", "cosine"), [(0.0, 0.8), (0.5, 0.9), (1.0, 1.0)])
def test_between_random_pairs_and_equal_texts(share, cosine):
    assert cosine_at(share, 0.8) == pytest.approx(cosine)
