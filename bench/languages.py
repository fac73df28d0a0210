"""Ratings in other languages: translated anchors compared with English ones and people, and identification.

``python bench/languages.py`` prints three tables; ``--write`` also writes the first one to
``src/semscale/scales/translations/equivalence.json``, from which ratings read which translations passed.

1. Every scale's probes, in English with the English anchors and translated with the translated ones: mean
   absolute distance of the two means of a probe, as a share of the scale's length, and their rank
   correlation; the linter's verdict in the language; the rank correlation with the probes' levels by these
   anchors, and by the English anchors on the same probes. A translation that does not pass with all its sets
   is measured again without the sets that fail the linter, at most two, if three are left.
2. 200 translated review sentences (``bench/review_sample.py``): r with the human means of the English
   sentences, by the scale ``quality``, with English anchors and with anchors in the language; and the AUC
   with which the two kinds of anchors separate these sentences from unrelated ones.
3. Share of short answers with the right language (``bench/data/short_answers.csv``, and the probes).
"""

import csv
import json
from collections import Counter
from pathlib import Path

import numpy as np

from measuring import Options, machine
from review_sample import sampled_reviews
from semscale.embedding import load_embedder
from semscale.rating.anchors import (
    FLOOR_GROUPS,
    AnchorVectors,
    scale_for_model,
    unrelated_probes,
)
from semscale.rating.lint import lint
from semscale.rating.rater import Rater
from semscale.rating.readouts import best_similarities
from semscale.results.languages import identify_languages
from semscale.scales import load_scale, scale_names
from semscale.scales.library import (
    FEWEST_SETS,
    MOST_LEFT_OUT,
    Equivalence,
    languages_of,
    translation_languages,
)
from semscale.stats.correlations import spearman
from semscale.types import LANGUAGE_NAMES

HERE = Path(__file__).parent
TABLE = HERE.parent / "src/semscale/scales/translations/equivalence.json"
DIGITS = 3
READOUT = "ssr"
"""The bound on the distance of two means was set for SSR; other readouts use more of a scale's length."""


def main():
    parser = Options(__doc__)
    parser.add_argument("--model", default="e5-small")
    parser.add_size("--scales", None, quick=["quality"], help="quality among them; all unless given")
    parser.add_size("--languages", None, quick=["de"], help="all unless given")
    parser.add_size("--reviews", None, quick=20, help="at most so many sentences; all unless given")
    parser.add_argument("--write", action="store_true", help="write the table that ships")
    options = parser.parse_args()
    if options.write and (options.scales or options.languages):
        parser.error("--write needs all scales and languages: leave out --scales, --languages and --quick")
    embedder = load_embedder(options.model)
    print(f"{machine()}; {embedder.signature}\n")
    measured = report_equivalence(embedder, options)
    if options.write:
        write(measured, embedder)
    report_reviews(embedder, measured["quality"], options)
    report_identification()


def report_equivalence(embedder, options):
    """Print each language's figures, and return the figures of every translation by scale and language."""
    measured = {name: {} for name in options.scales or scale_names() if languages_of(name)}
    print("means over scales; ladder: English anchors on English probes, own anchors, English anchors")
    print("passed: in brackets, with some of the sets")
    print("language    passed        distance  rank  ladder          not passed")
    for code in options.languages or translation_languages():
        in_english = []
        for name in (name for name in measured if is_translated(name, code, embedder)):
            measured[name][code], ladder = measure(name, code, embedder)
            in_english.append(ladder)
        found = {name: by_code[code] for name, by_code in measured.items() if code in by_code}
        if found:
            print(f"{LANGUAGE_NAMES[code]:<12}{line(found, np.mean(in_english))}")
    return measured


def is_translated(name, code, embedder):
    """Tell whether enough sets for the model are translated."""
    return code in languages_of(name) and len(translated_sets(name, code, embedder)) >= FEWEST_SETS


def translated_sets(name, code, embedder):
    """List the translated sets for the model."""
    translated = load_scale(name, language=code).anchor_sets
    return [name for name in scale_for_model(load_scale(name), embedder).anchor_sets if name in translated]


def line(found, in_english):
    """Summarise the translations into one language."""
    failed = [name for name, one in found.items() if not one.passed]
    keys = ("distance", "rank_correlation", "ladder", "ladder_by_english")
    distance, rank, own, english = (np.mean([getattr(one, key) for one in found.values()]) for key in keys)
    ladders = f"{in_english:.2f} {own:.2f} {english:.2f}"
    fewer = sum(one.passed and one.anchor_sets != one.english_sets for one in found.values())
    passed = f"{len(found) - len(failed)} of {len(found)} ({fewer})"
    return f"{passed:<14}{distance:.3f}     {rank:.2f}  {ladders}  {', '.join(failed)}"


def measure(name, code, embedder):
    """Measure a translation, and the English probes' rank correlation with their levels.

    Sets that fail the linter are left out only if the translation passes without them, but not with all sets.
    """
    sets = translated_sets(name, code, embedder)
    english = load_scale(name).with_sets(sets)
    translated = load_scale(name, language=code).with_sets(sets)
    levels = [probe.level for probe in english.probes]
    whole = beside_english(translated, english, embedder)
    if not whole.passed:
        some = beside_english(without_failed_sets(translated, embedder), english, embedder)
    found = whole if whole.passed or not some.passed else some
    return found, spearman(means(english, english, embedder), levels)


def without_failed_sets(scale, embedder):
    """Leave out the sets that fail the linter; none if more sets fail than may be left out."""
    failed = {
        one.name for one in lint(scale, embedder=embedder, readout=READOUT).sets if one.verdict == "fail"
    }
    left = [name for name in scale.anchor_sets if name not in failed]
    may_go = len(failed) <= MOST_LEFT_OUT and len(left) >= FEWEST_SETS
    return scale.with_sets(left) if may_go else scale


def beside_english(translated, english, embedder):
    """Compare a translation, with the sets that it has, with the English scale."""
    levels = [probe.level for probe in english.probes]
    in_english, in_language = means(english, english, embedder), means(translated, translated, embedder)
    with_english_anchors = means(english, translated, embedder)
    length = float(np.ptp(english.values))
    return Equivalence(
        english_sets=tuple(english.anchor_sets),
        anchor_sets=tuple(translated.anchor_sets),
        english=english.content_hash,
        translated=translated.content_hash,
        distance=round(float(np.abs(in_language - in_english).mean()) / length, DIGITS),
        rank_correlation=round(spearman(in_language, in_english), DIGITS),
        ladder=round(spearman(in_language, levels), DIGITS),
        ladder_by_english=round(spearman(with_english_anchors, levels), DIGITS),
        linter=lint(translated, embedder=embedder, readout=READOUT).verdict,
        english_linter=lint(english, embedder=embedder, readout=READOUT).verdict,
    )


def means(anchors_of, probes_of, embedder):
    """Return the means of one scale's probes by another scale's anchors, without an off-topic floor."""
    rater = Rater(anchors_of, embedder=embedder, floor=None, language=anchors_of.language, readout=READOUT)
    return rater.rate([probe.text for probe in probes_of.probes]).mean


def write(measured, embedder):
    scales = {
        name: {code: vars(found) for code, found in sorted(by_language.items())}
        for name, by_language in measured.items()
    }
    content = {"made by": "bench/languages.py", "signature": str(embedder.signature), "scales": scales}
    TABLE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"\nwrote {TABLE.relative_to(HERE.parent)}")


def report_reviews(embedder, measured, options):
    """Print the agreement with people on the translated and the English sentences.

    Translated anchors are the sets in the first table, whether they passed or not. English anchors decide
    which texts are off topic, as in ratings.
    """
    rows = sampled_reviews()[: options.reviews]
    human = np.array([float(row["human_mean"]) for row in rows])
    english = Rater("quality", embedder=embedder, language="en").rate([row["text"] for row in rows])
    print(f"\n{len(rows)} review sentences, scale quality: r with people, over texts that are on topic")
    r = np.corrcoef(english.mean[english.scored], human[english.scored])[0, 1]
    print(f"English      r = {r:.3f}; off topic {1 - english.scored.mean():.1%}")
    for path in sorted((HERE / "data").glob("reviews_*.csv")):
        code = path.stem.removeprefix("reviews_")
        if options.languages and code not in options.languages:
            continue
        with path.open(encoding="utf-8", newline="") as file:
            text = {row["id"]: row["text"] for row in csv.DictReader(file)}
        texts = [text[row["id"]] for row in rows]
        raters = [("English anchors", Rater("quality", embedder=embedder, language="en"))]
        if code in measured:
            own = load_scale("quality", language=code).with_sets(measured[code].anchor_sets)
            kind = "own anchors" if measured[code].passed else "own anchors, not passed"
            raters.append((kind, Rater(own, embedder=embedder, language=code, floor=None)))
        ratings = [rater.rate(texts) for _, rater in raters]
        on_topic = ratings[0].scored
        said = [
            f"{name}: r = {np.corrcoef(rated.mean[on_topic], human[on_topic])[0, 1]:.3f}"
            for (name, _), rated in zip(raters, ratings, strict=True)
        ]
        said.append(f"off topic {1 - on_topic.mean():.1%}")
        apart = np.nanmean(np.abs(ratings[-1].mean - english.mean)[on_topic]) / 4
        print(f"{LANGUAGE_NAMES[code]:<12} {'; '.join(said)}; distance from English {apart:.3f}")
        if code in measured:
            print(f"{'':<12} {on_topic_words(texts, code, own, embedder)}")


def on_topic_words(texts, code, own, embedder):
    """Describe how well both kinds of anchors separate texts from unrelated sentences in the language."""
    english = scale_for_model(load_scale(own.name), embedder)
    unrelated = [sentence for group in FLOOR_GROUPS for sentence in unrelated_probes(code)[group]]
    said = []
    on, off = (embedder.embed(list(those)).vectors for those in (texts, unrelated))
    for name, scale in (("English", english), ("own", own)):
        anchors = AnchorVectors(scale, lambda: embedder, "auto")
        shares = [
            anchors.off_topic(rows, best_similarities(rows, anchors.vectors)).mean() for rows in (on, off)
        ]
        said.append(f"{name} anchors: off topic {shares[0]:.1%}, and of the unrelated {shares[1]:.0%}")
    return "; ".join(said)


def report_identification():
    """Print the shares of short answers and probes identified as the right language, a wrong one, or none."""
    with (HERE / "data/short_answers.csv").open(encoding="utf-8", newline="") as file:
        short = [(row["language"], row["text"]) for row in csv.DictReader(file)]
    probes = [("en", probe.text) for name in scale_names() for probe in load_scale(name).probes]
    for name in scale_names():
        for code in languages_of(name):
            probes += [(code, probe.text) for probe in load_scale(name, language=code).probes]
    print("\nlanguage of texts: right, wrong, not clear")
    for what, texts in (("short answers", short), ("probes", probes)):
        print(f"{what} ({len(texts)}): {counted(texts)}")
        for code in sorted({code for code, _ in texts}):
            print(f"  {LANGUAGE_NAMES[code]:<11} {counted([pair for pair in texts if pair[0] == code])}")


def counted(texts):
    found = identify_languages([text for _, text in texts])
    kinds = Counter(
        "not clear" if got is None else "right" if got == code else "wrong"
        for (code, _), got in zip(texts, found, strict=True)
    )
    return ", ".join(str(kinds[kind]) for kind in ("right", "wrong", "not clear"))


if __name__ == "__main__":
    main()
