"""Laws that every instrument obeys; ``test_instrument_table.py`` says that every one is here."""

import inspect
import json

import numpy as np
import pytest
from tests.schema_check import check_json
from tests.support.instruments import CELLS
from tests.support.model_instruments import MODEL_INSTRUMENTS
from tests.support.toy_instruments import TOY_INSTRUMENTS

from semscale.answer_consistency.consistencies import Consistencies
from semscale.report.document import estimate_cell
from semscale.report.html import cell_html
from semscale.results.estimates import Estimates
from semscale.signature import Signature
from semscale.types import Status

INSTRUMENTS = [*MODEL_INSTRUMENTS, *TOY_INSTRUMENTS]

every_instrument = pytest.mark.parametrize(
    "instrument", INSTRUMENTS, ids=lambda instrument: instrument.kind.__name__
)


@every_instrument
@pytest.mark.exhaustive
def test_results_preserve_row_order(instrument):
    order = np.random.default_rng(0).permutation(len(CELLS))
    mixed = instrument.rows(instrument.score([CELLS[index] for index in order]))
    np.testing.assert_allclose(mixed, instrument.rows(instrument.score(CELLS))[order], atol=1e-6)


@every_instrument
def test_input_is_unchanged(instrument):
    cells = list(CELLS)
    instrument.score(cells)
    assert all(after is before for after, before in zip(cells, CELLS, strict=True))


@pytest.mark.exhaustive
@every_instrument
@pytest.mark.parametrize("size", [1, 5])
def test_batch_size_is_irrelevant(instrument, size):
    parts = [instrument.score(CELLS[start : start + size]) for start in range(0, len(CELLS), size)]
    whole = instrument.rows(instrument.score(CELLS))
    np.testing.assert_allclose(np.concatenate([instrument.rows(part) for part in parts]), whole, atol=1e-6)


@every_instrument
def test_duplicates_are_irrelevant(instrument):
    doubled = instrument.rows(instrument.score([cell for cell in CELLS for _ in range(3)]))
    once = instrument.rows(instrument.score(CELLS))
    np.testing.assert_allclose(doubled, np.repeat(once, 3, axis=0), atol=1e-6)


@every_instrument
def test_missing_stays_missing(instrument):
    result = instrument.score(CELLS)
    absent = np.array([not isinstance(cell, str) or not cell.strip() for cell in CELLS])
    assert np.isnan(instrument.rows(result)[absent]).all()
    assert Status.SCORED not in set(result.status[absent])
    frame = result.to_frame()
    assert frame.filter(absent).select(instrument.figure).null_count().item() == absent.sum()


@pytest.mark.exhaustive
@every_instrument
def test_signature_names_every_setting(instrument):
    settings = set(inspect.signature(instrument.kind).parameters)
    assert settings == set(instrument.settings) | instrument.unsigned
    plain = instrument.signed()
    for name, other in instrument.settings.items():
        value = other() if callable(other) else other
        assert plain.differences(instrument.signed(**{name: value})), name


@every_instrument
def test_settings_have_the_same_name_in_all_instruments(instrument):
    names = set(inspect.signature(instrument.kind).parameters)
    assert not names & {"model", "bert_model", "encoder", "llm"}
    assert names & {"embedder", "chat_model", "judges"}


@every_instrument
@pytest.mark.exhaustive
def test_the_object_says_what_it_applies(instrument):
    signature = instrument.make().signature
    assert isinstance(signature, Signature)
    assert signature.instrument == instrument.score(CELLS).signature.instrument
    assert instrument.make().signature == signature


@every_instrument
def test_results_have_the_same_attributes(instrument):
    result = instrument.score(CELLS)
    n = len(CELLS)
    assert result.n == len(result) == len(result.status) == result.to_frame().height == n
    assert sum(result.counts.values()) == n
    assert result.n_scored == result.counts[Status.SCORED] == result.scored.sum()
    assert result.n_left_out == n - result.n_scored
    assert all(type(count) is int for count in (result.n_scored, result.n_left_out, result.n_windowed))
    assert isinstance(result.signature, Signature)


@every_instrument
def test_repr_of_a_result_is_a_single_line_without_estimates(instrument, monkeypatch):
    result = instrument.score(CELLS)
    monkeypatch.setattr(type(result), "estimate", None)
    assert repr(result).startswith(f"{type(result).__name__}(n=12, n_scored={result.n_scored}, model=")
    assert "\n" not in repr(result)
    assert len(repr(result)) < 140


@every_instrument
def test_estimates_have_the_same_type_in_all_instruments(instrument):
    result = instrument.score(CELLS)
    weights = np.arange(len(CELLS)) + 1.0
    columns = {"by": ["a", None, "b"] * 4, "weights": weights, "respondents": ["x", "y", "z", ""] * 3}
    estimates = result.estimate(**columns, interval=0.9, seed=3, replicates=200)
    assert isinstance(estimates, Estimates)
    assert (estimates.interval, estimates.clustered, len(estimates.groups)) == (0.9, True, 3)
    assert str(estimates.signature).startswith(str(result.signature))
    values = result.to_frame()[instrument.figure].to_numpy().astype(float)
    counting = result.scored & ~np.isnan(values) & (np.arange(len(CELLS)) % 4 != 3)
    assert estimates.overall.n == counting.sum() == sum(group.n for group in estimates.groups)
    assert (
        estimates.overall.left_out["no-respondent"]
        == (result.scored & (np.arange(len(CELLS)) % 4 == 3)).sum()
    )
    expected = np.average(values[counting], weights=weights[counting])
    assert estimates.overall.mean.value == pytest.approx(expected)


@every_instrument
def test_a_part_keeps_order_and_signature(instrument):
    result = instrument.score(CELLS)
    mask = np.arange(len(CELLS)) % 3 != 1
    part = result.filter(mask)
    assert type(part) is type(result)
    np.testing.assert_array_equal(instrument.rows(part), instrument.rows(result)[mask])
    assert part.signature == result.signature
    assert part.to_frame().equals(result.to_frame().filter(mask))
    assert result[mask].to_frame().equals(part.to_frame())
    assert result.filter([False] * len(CELLS)).n == 0


@every_instrument
@pytest.mark.exhaustive
def test_a_result_speaks_for_itself(instrument, tmp_path):
    if instrument.summarize is None:
        assert not hasattr(instrument.score(CELLS), "summarize")
        return
    result = instrument.score(CELLS)
    summary = instrument.summarize(result)
    assert str(summary.document().signature).startswith(str(result.signature))
    # Other settings of the interval give other numbers, so the one signature that is shown has them.
    assert summary.document().signature == summary.record()["signature"] == summary.estimates.signature
    names = [name for name, _ in summary.signature.fields]
    assert "interval" in names
    assert len(names) == len(set(names))
    overall = summary.estimates.overall
    assert (overall.n, overall.n_left_out) == (result.n_scored, result.n_left_out)
    assert overall.mean.value == pytest.approx(result.estimate(method="linearized").overall.mean.value)
    for ending in ("html", "md", "xlsx"):
        summary.report(tmp_path / f"report.{ending}")
    assert f"{overall.mean.value:.2f}".removeprefix("0") in (tmp_path / "report.md").read_text("utf-8")
    assert "<table" in summary._repr_html_()
    # A notebook shows a result as its summary; only the latter knows columns, groups and where rows are from.
    shown = result._repr_html_()
    assert shown.count("<svg") == 1
    assert cell_html(estimate_cell(summary.estimates.overall.mean)) in shown
    content = json.loads(summary.to_json())
    assert content["cautions"] == list(summary.document().brief_sentences("caution"))
    unit = "prompts" if isinstance(result, Consistencies) else "rows"
    few = f"wide intervals: {result.n_scored} {unit} allow only t quantiles; a bootstrap needs 10"
    assert few in content["cautions"]
    check_json(json.dumps(content | WRITTEN))


WRITTEN = {"out": None, "report": [], "figures": None}
"""What a command adds to the JSON of a summary."""
