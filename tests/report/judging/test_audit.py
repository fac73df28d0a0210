"""The document of an audit: what it counts, where it stopped, how its intervals were made."""

import re
from dataclasses import replace

import pytest
from tests.judging.conftest import Scripted, material, plain_running

from semscale.chat.costs.budget import Budget
from semscale.chat.costs.prices import Price, PriceTable
from semscale.chat.replies import Reply, Usage
from semscale.judging.audit import AuditSummary, audit
from semscale.judging.judge import Judge
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.terminal import print_document
from semscale.stats.intervals.estimates import IntervalPlan

QUESTIONS = ["q"] * 12


def polite(request):
    """Gives every other answer a level more where polite words stand around it."""
    is_padded = "I hope that this is helpful" in material(request)
    return f"Score: {5 if is_padded and re.search('[02468]', material(request)) else 4}"


ANSWERS = [f"answer {n}" for n in range(11)] + [""]


def audited(*names, **settings):
    found = {
        name: audit(
            Judge(Scripted(polite, name=name)),
            QUESTIONS,
            ANSWERS,
            running=plain_running(**settings),
            plan=IntervalPlan(0.9, seed=3),
        )
        for name in names
    }
    return AuditSummary("answers.csv", found)


@pytest.fixture
def renderings(capsys):
    def shown(summary):
        document = summary.document()
        print_document(document)
        return capsys.readouterr().out, page(document), markdown(document)

    return shown


def test_an_audit_that_stopped_says_so_everywhere(renderings):
    summary = audited("one", budget=Budget(calls=24))
    assert summary.stopped is not None
    assert summary.document().cautions[0] == f"Not everything was asked: {summary.stopped}."
    assert all("Not everything was asked" in shown for shown in renderings(summary))


def test_what_the_verdicts_cost_stands_beside_tokens_where_prices_are_known(renderings):
    table = PriceTable({"one": Price(0.001, 0.002, "EUR")})
    judge = Judge(Scripted(lambda _: Reply("Score: 4", usage=Usage(100, 10)), name="one"))
    running = replace(plain_running(), prices=table)
    found = audit(judge, QUESTIONS, ANSWERS, running=running)
    # Eleven answers that can be judged, of 100 * .001 + 10 * .002 each.
    assert found.cost == pytest.approx(1.32)
    summary = AuditSummary("answers.csv", {"one": found})
    assert all("1.32 EUR" in shown for shown in renderings(summary))
    spent = summary.record()["judges"][0]["spent"]
    assert (spent["cost"], spent["currency"]) == (pytest.approx(1.32), "EUR")
    assert all("EUR" not in shown for shown in renderings(audited("two")))


def test_it_says_what_counts_and_how_intervals_were_made(renderings):
    summary = audited("one")
    for shown in renderings(summary):
        assert "11 of 12 rows count; left out: 1 empty" in shown
        bootstrap = "90 %, 2,000 bootstrap resamples of rows, seed 3"
        # The judge gives the same whatever the order of the levels, and whatever is injected.
        made = f"{bootstrap}; those of reversed and injection: exact bounds: all rows have the same"
        assert made in shown.replace("\N{NO-BREAK SPACE}", " ")
        # Without references the place of the reference cannot change: four checks of five are made.
        assert "with 4 checks, one of them may say so by chance" in shown


def test_a_check_without_an_interval_does_not_say_that_there_is_none(renderings):
    # Eleven calls without a change, eleven with the first one, and a single one with the second.
    for shown in renderings(audited("one", budget=Budget(calls=23))):
        assert "90 %, " in shown.replace("\N{NO-BREAK SPACE}", " ")
        assert "none, because" not in shown


def test_several_judges_have_a_signature_of_all(renderings):
    alone, both = audited("one"), audited("one", "two")
    assert str(alone.signature) == str(alone.audits["one"].signature)
    signature = dict(both.signature.fields)
    assert (signature["judges"], signature["model_1"], signature["model_2"]) == ("2", "one", "two")
    assert both.document().signature == both.signature
    settings = dict(both.document().settings)
    for name, found in both.audits.items():
        assert settings[f"Signature of {name}"].text == found.signature
    for shown in renderings(both)[1:]:
        for name in both.audits:
            assert f"Signature of {name}" in shown
            assert f"{name}</bdi>: 11 of 12" in shown or f"{name}: 11 of 12" in shown


def test_it_says_on_how_many_rows_the_checks_rest(renderings):
    def puzzled(request):
        return "hm" if "I hope that this is helpful" in material(request) else "Score: 4"

    found = audit(Judge(Scripted(puzzled, name="one")), QUESTIONS, ANSWERS, running=plain_running())
    # No padded answer gets a score, so that check has no row; the others have all 11 answers.
    for shown in renderings(AuditSummary("answers.csv", {"one": found})):
        assert "11 of 12 rows count; left out: 1 empty; the checks rest on 0 to 11 of them" in " ".join(
            shown.split()
        )
