"""Documents about work before measuring: forecasts of calls, and embedded texts."""

import json

from tests.schema_check import check_json

from semscale.chat.budget import Forecast, ForecastSummary, FurtherCalls
from semscale.chat.messages import Usage
from semscale.embedding.table import EmbeddingSummary
from semscale.report.html import page
from semscale.report.json_encoding import to_json
from semscale.report.markdown import markdown
from semscale.report.preparation import embedding_document
from semscale.report.terminal import print_document
from semscale.signature import Signature
from semscale.types import Status

PRICED = Forecast(
    9,
    2,
    1,
    6,
    Usage(1200, 300),
    0,
    1.25,
    "EUR",
    "",
    corrections=FurtherCalls(12, Usage(2400, 600), 2.5),
    repetitions=FurtherCalls(108, Usage(21600, 5400), 2.2e-5),
)


UNPRICED = Forecast(9, 0, 0, 9, Usage(1800, 9216), 9, None, "", "the price of m is not known; add it")


def test_the_screen_says_what_asking_would_take(capsys):
    summary = ForecastSummary("q.csv", {"one": PRICED, "m": UNPRICED}, 9, {"empty": 2}, "prompt")
    print_document(summary.document())
    shown = " ".join(capsys.readouterr().out.split())
    assert "9 of 11 prompts were included; left out: 2 empty" in shown
    assert "requests 9 answered before 2 the same as another 1 calls to make 6" in shown
    assert "tokens of prompts, about 1,200 tokens of replies, at most 300 cost in EUR 1.25" in shown
    assert "Possible extra calls, at most" in shown
    assert "repeated requests for replies that cannot be parsed 12 2,400 600 2.5 " in shown
    assert "repeating calls that fail 108 21,600 5,400 0.000022" in shown
    assert "calls without a limit to their reply (1,024 tokens each) 9 cost not known" in shown
    assert shown.endswith("the price of m is not known; add it Nothing was sent.")


def test_a_page_says_what_was_left_out_and_that_nobody_was_asked():
    document = ForecastSummary("q.csv", {"one": PRICED}, 9, {"empty": 2}, "prompt").document()
    for shown in (page(document), markdown(document)):
        assert "9 of 11 prompts were included; left out: 2 empty." in shown
        assert "Nothing was sent." in shown


def test_json_has_the_same_numbers():
    summary = ForecastSummary("q.csv", {"m": UNPRICED}, 9, {})
    text = to_json(summary, summary.document(), {"out": None, "report": [], "figures": None})
    check_json(text)
    content = json.loads(text)
    assert (content["asked"], content["left_out"]) == (9, {})
    (model,) = content["models"]
    assert (model["model"], model["calls"], model["reply_tokens"], model["money"]) == ("m", 9, 9216, None)
    assert model["corrections"] == {"calls": 0, "prompt_tokens": 0, "reply_tokens": 0, "money": 0.0}


def test_rows_by_status_and_the_model():
    counts = {Status.SCORED: 5, Status.MISSING: 2}
    summary = EmbeddingSummary(Signature.of("embed", model="toy"), 7, counts, 3, 1, "a.csv", "text")
    document = embedding_document(summary)
    assert [(name, cell.value) for name, cell in document.facts] == [
        ("Rows", 7),
        ("Rows missing", 2),
        ("Rows with a vector", 5),
        ("Numbers in a vector", 3),
        ("Texts read in several windows", 1),
    ]
    assert document.signature == summary.signature
    assert "model" in [name for name, _ in document.settings]
