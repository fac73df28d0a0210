"""Cautions that accompany a decision: weaknesses of reruns, texts, numbers and items."""

import math
import unicodedata
from collections.abc import Iterable, Sequence

from semscale.drift.gate.decision import FEWEST_TO_PASS, DriftTest
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.measured import AlignedPair
from semscale.drift.measure.pair_differences import pair_outputs
from semscale.drift.runs import ItemMatching, number_of
from semscale.history.items import Output
from semscale.history.runs import named
from semscale.matching.pairs import are_across, guards_read, in_other_language, pair_up
from semscale.signature import Signature
from semscale.stats.drift_tests import signs_needed
from semscale.weights.known import languages_read, model_name

_SAME = 1e-5  # the largest loss by rounding between texts with the same tokens
_UNREAD = frozenset({"Mn", "Zs", "Cc", "Cf"})  # accents, spaces and control characters


def gate_cautions(comparison: Comparison, tests: Sequence[DriftTest], settings: GateSettings) -> list[str]:
    """List what weakens a decision: reruns, texts that the model cannot read, few items, missing values."""
    return [
        *matching_cautions(comparison.matching),
        *_about_reruns(comparison),
        *_about_texts(comparison),
        *_about_unread(comparison),
        *_about_languages(comparison),
        *_about_numbers(comparison),
        *_about_items(comparison, tests),
        *_about_significance(tests, settings),
    ]


def matching_cautions(matching: ItemMatching) -> list[str]:
    """Say which of the baseline's items were not compared, as nothing is known of them."""
    n = matching.n_baseline
    cautions = []
    if matching.lost:
        cautions.append(
            f"{len(matching.lost)} of the baseline's {n} items are not in the candidate, and nothing is "
            f"known of them: {named(matching.lost)}; if the model gave nothing there, record them without "
            "outputs"
        )
    if matching.changed:
        cautions.append(
            f"{len(matching.changed)} of the baseline's {n} items were asked something else, and are not "
            f"compared: {named(matching.changed)}"
        )
    if matching.moved:
        ours, theirs = matching.moved[0]
        cautions.append(
            f"{len(matching.moved)} of them have another id in the candidate, such as {ours!r}, which is "
            f"{theirs!r}: give them their former ids to compare them"
        )
    return cautions


def _about_reruns(comparison: Comparison) -> list[str]:
    if not comparison.reruns:
        signed = [metric.label for metric in comparison.metrics.values() if metric.is_signed]
        return [
            "no rerun of the baseline: nothing tells drift from the model's own noise, so that only "
            f"{' and '.join(['lost outputs', *signed])} can fail; record the baseline's model once more as a "
            "rerun"
        ]
    if "silence" not in comparison.metrics:
        return []
    silent = int((comparison.expected("silence") > 0).sum())
    if not silent:
        return []
    n = len(comparison.baseline.items)
    return [
        f"in {silent} of {n} items only one of baseline and rerun says anything: where a candidate is "
        "silent, too, that counts as chance; see that the reruns are complete"
    ]


def _about_texts(comparison: Comparison) -> list[str]:
    """Count outputs that differ only in characters that the model does not know."""
    same = [pair for pair in comparison.measured.pairs if _is_same_to_model(pair)]
    texts = [(ours.text or "", theirs.text or "") for ours, theirs in _whole(comparison, same)]
    alike = sum(_folded(ours) != _folded(theirs) for ours, theirs in texts if ours != theirs)
    if not alike:
        return []
    differ = "outputs differ" if alike > 1 else "output differs"
    return [
        f"{alike} {differ} from the baseline's only in signs that the model does not know: no drift is seen "
        "there; choose a model that reads them (--embedder)"
    ]


def _about_unread(comparison: Comparison) -> list[str]:
    """Count pairs of outputs with a text that the model cannot read."""
    scores = [list(pair.scores.values()) for pair in comparison.measured.pairs if pair.scores]
    unread = sum(all(map(math.isnan, values)) for values in scores)
    if not unread:
        return []
    return [
        f"in {unread} of {len(scores)} pairs of outputs the model cannot read one text or both: their "
        "similarity counts 0, and is left out where it reads neither; choose a model that reads them "
        "(--embedder)"
    ]


def _about_languages(comparison: Comparison) -> list[str]:
    """Count pairs that guards pass over, that the model does not read, and those across languages."""
    signature = comparison.measured.signature
    languages = languages_read(signature)
    pairs = _whole(comparison, [pair for pair in comparison.measured.pairs if pair.scores])
    texts = [(ours.text or "", theirs.text or "") for ours, theirs in pairs]
    differ = [(ours, theirs) for ours, theirs in texts if ours != theirs]
    cautions = []
    passed_over = sum(not guards_read(*both) for both in differ)
    if passed_over and "guards" in dict(signature.fields):
        cautions.append(
            f"guards read English alone: they did not look at {passed_over} of {len(pairs)} pairs of "
            "outputs, where nothing is known of contradictions; numbers in digits were compared there"
        )
    foreign = _foreign(differ, signature)
    if foreign:
        cautions.append(
            f"in {foreign} of {len(pairs)} pairs of outputs a text is in a language that "
            f"{model_name(signature)} does not read: their similarity says little; choose a model "
            "that reads it (--embedder e5-small)"
        )
    across = sum(are_across(*both, languages) for both in differ)
    if across:
        cautions.append(
            f"in {across} of {len(pairs)} pairs of outputs the texts are in different languages: match "
            "compares whole texts alone there, as words have no equals"
        )
    return cautions


def _foreign(texts: Sequence[tuple[str, str]], signature: Signature) -> int:
    """Count pairs of texts of which one is in a language that the model does not read."""
    pairs = pair_up([ours for ours, _ in texts], [theirs for _, theirs in texts])
    return int(in_other_language(pairs, signature).sum())


def _is_same_to_model(pair: AlignedPair) -> bool:
    return pair.scores.get("bertscore_f1", 0.0) > 1 - _SAME


def _whole(comparison: Comparison, pairs: Iterable[AlignedPair]) -> list[tuple[Output, Output]]:
    """Return the outputs of the pairs that have both."""
    found = (pair_outputs(comparison, pair) for pair in pairs)
    return [(ours, theirs) for ours, theirs in found if ours is not None and theirs is not None]


def _about_numbers(comparison: Comparison) -> list[str]:
    """Count aligned outputs in which one number is missing, as these have the greatest loss."""
    fields = [one for one in comparison.metrics.values() if one.unit and not one.may_be_unknown]
    if not fields:
        return []
    pairs = _whole(comparison, comparison.measured.pairs)
    cautions = []
    for metric in fields:
        there = [[not math.isnan(number_of(each, metric.unit)) for each in pair] for pair in pairs]
        lacking = sum(ours != theirs for ours, theirs in there)
        if lacking:
            cautions.append(
                f"{metric.unit}: in {lacking} of {len(pairs)} pairs of outputs only one has a number (NaN is "
                f"none), which counts {metric.span:g}, the worst case; see that the numbers are complete"
            )
    return cautions


def _folded(text: str) -> str:
    """Remove differences that models do not see: capitals, accents and spaces."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in decomposed if unicodedata.category(sign) not in _UNREAD)


def _about_items(comparison: Comparison, tests: Sequence[DriftTest]) -> list[str]:
    cautions = []
    n = len(comparison.baseline.items)
    if n < FEWEST_TO_PASS:
        items = f"{n} item{'s' * (n != 1)}"
        cautions.append(
            f"only {items}: with fewer than {FEWEST_TO_PASS} no test passes; add {FEWEST_TO_PASS - n} or more"
        )
    few = [test for test in tests if test.group is not None and test.drift.n < FEWEST_TO_PASS]
    if few:
        cautions.append(f"groups with fewer than {FEWEST_TO_PASS} items cannot pass: {_groups(few)}")
    nothing = [test.metric for test in tests if test.group is None and test.drift.n == 0]
    if nothing:
        cautions.append(f"no item has a value, so that nothing can be decided: {named(nothing)}")
    left_out = max(
        (test.drift.n_left_out for test in tests if test.group is None and test.drift.n), default=0
    )
    if left_out:
        cautions.append(f"up to {left_out} of {n} items have no value in a metric and are left out of it")
    return cautions


def _about_significance(tests: Sequence[DriftTest], settings: GateSettings) -> list[str]:
    """Name tests that cannot fail: with n items each of which differs, the p-value is 2^-n / 2 at least.

    Tests over all runs are left out, as their p-values do not come from this run's items alone; and so are
    those that cannot be tested without a rerun.
    """
    own = [
        test
        for test in tests
        if test.drift.n and not (settings.over_runs and test.group is None) and not math.isnan(test.p_value)
    ]
    n_overall = sum(test.group is None for test in own) or 1
    strictest = settings.alpha / (n_overall if settings.correction == "holm" else 1)
    powerless = [test for test in own if 0.5 ** (test.drift.n + 1) >= strictest]
    overall = [test for test in powerless if test.group is None]
    grouped = [test for test in powerless if test.group is not None]
    enough = signs_needed(2 * strictest)
    return [
        f"too few items for most drifts to fail in {names}: where all of {most} item{'s' * (most != 1)} "
        f"differ, p is {0.5 ** (most + 1):.3g} with one rerun; {enough} items are enough"
        for names, most in (
            (named(test.metric for test in overall), max((test.drift.n for test in overall), default=0)),
            (_groups(grouped), max((test.drift.n for test in grouped), default=0)),
        )
        if most
    ]


def _groups(tests: Iterable[DriftTest]) -> str:
    return named(sorted({" ".join(test.group) for test in tests if test.group is not None}))
