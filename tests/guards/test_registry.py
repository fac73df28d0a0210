"""What holds for every guard: silence on identical texts and other scripts, true spans, kinds that swap."""

import re
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from semscale.errors import InputError
from semscale.guards.registry import FINDING_KINDS, GUARDS, Guards, Mode, finding_counts

SENTENCES = (
    "not no never without isn't can't connected disconnected open closed left right safe unsafe increase",
    "decrease the a bulb Bulb A B C terminal 1 2 12 0.5 mg g 1,000 1.000 % 10^3 ½ twelve second one and or",
    "but , . ; : ( ) \" ' - CYP3A4 TB Paris Berlin US U.S. greater less than before after present absent was",
    "ruled out neither nor lacks of 5:30 pm °C ٣ ① İ ǅ 中 µg",
    "Ann hired Bob was by than most few every may said to only even except if unless until then",
)
PIECES = st.sampled_from([word for line in SENTENCES for word in line.split()])
TEXTS = st.one_of(st.lists(PIECES, max_size=12).map(" ".join), st.text(max_size=40))
SWAPPED = {
    "negated-prediction": "negated-reference",
    "missing-number": "added-number",
    "missing-label": "added-label",
    "missing-name": "invented-name",
}
SWAPPED |= {second: first for first, second in SWAPPED.items()}


@given(TEXTS)
@example("Take 0.5 mg of CYP3A4, not 50 mg. It isn't “safe”.")
def test_identical_texts_give_nothing(text):
    assert Guards().check(text, text) == []


@given(st.lists(PIECES, max_size=12).map(" ".join))
def test_case_and_white_space_alone_give_nothing(text):
    plain = text.replace("İ", "I").replace("ǅ", "D")
    assert Guards().check(plain, re.sub(" ", "  ", plain)) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The bulb is NOT lit.", "the bulb is not lit"),
        ("It’s 12 mg!", "its 12 mg"),
        ("“Paris” — yes.", "Paris, yes"),
    ],
)
def test_case_white_space_and_marks_alone_give_nothing(first, second):
    assert Guards().check(first, second) == []


@given(TEXTS, TEXTS)
def test_spans_point_at_their_text_and_the_kinds_swap_with_the_sides(first, second):
    findings = Guards().check(first, second)
    for finding in findings:
        assert finding.prediction or finding.reference
        for span, text in ((finding.prediction, first), (finding.reference, second)):
            assert span is None or (text[span.start : span.end] == span.text != "")
        assert f"{finding.guard}:{finding.kind}" in FINDING_KINDS
    swapped = Guards().check(second, first)
    assert Counter(finding.guard for finding in findings) == Counter(finding.guard for finding in swapped)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("It is not safe.", "It is safe."),
        ("Take 5 mg.", "Take it."),
        ("It is in Paris.", "It is there."),
        ("Bulbs A and B.", "Bulb A."),
    ],
)
def test_finding_kinds_of_a_single_side_swap_with_the_sides(first, second):
    kinds = [finding.kind for finding in Guards().check(first, second)]
    assert (
        [finding.kind for finding in Guards().check(second, first)] == [SWAPPED[kind] for kind in kinds] != []
    )


@pytest.mark.parametrize(
    "text",
    [
        "Он не подключён к 5 клеммам.",
        "它没有连接到端子 4。",
        "الدواء ليس آمناً 5 mg",
        "薬は安全ではありません CYP3A4",
    ],
)
def test_other_scripts_give_nothing_rather_than_something_wrong(text):
    assert Guards().check(text, "The drug is safe: 12 mg of CYP2D6.") == []
    assert Guards().check("The drug is safe: 12 mg of CYP2D6.", text) == []


def test_off_guard_is_not_run_and_warning_guard_does_not_weigh():
    guards = Guards({"number": "off", "negation": Mode.WEIGH})
    findings = guards.check("It is not in room 12.", "It is in room 13.")
    assert {finding.guard for finding in findings} == {"negation"}
    assert guards.findings_to_weigh(findings) == findings
    assert Guards().findings_to_weigh(findings) == []
    assert dict(guards.modes) == dict.fromkeys(GUARDS, "warn") | {"negation": "weigh", "number": "off"}


@pytest.mark.parametrize(
    ("modes", "message"),
    [
        (
            {"polarity": "off"},
            r"guards must be among negation, opposite, number, name, roles, quantity, certainty, "
            r"exclusivity, order, condition, got 'polarity'",
        ),
        ({"name": "on"}, r"the mode of guard 'name' must be off, warn or weigh, got 'on'"),
    ],
)
def test_a_wrong_guard_or_mode_is_named(modes, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Guards(modes)


def test_counts_have_every_kind_with_zeros():
    counts = finding_counts(Guards().check("Take 5 mg and 7 mL.", "Take 6 mg and 8 mL."))
    assert tuple(counts) == FINDING_KINDS
    assert counts["number:other-value"] == 2
    assert sum(counts.values()) == 2
