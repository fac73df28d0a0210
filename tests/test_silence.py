"""The package of usage reports cannot be imported while OpenVINO is."""

import sys

import pytest

from semscale.silence import usage_reports_off

REPORTS = "openvino_telemetry"


def test_the_package_is_hidden_inside_and_as_before_outside(monkeypatch):
    monkeypatch.delitem(sys.modules, REPORTS, raising=False)
    with usage_reports_off(), pytest.raises(ImportError):
        __import__(REPORTS)
    assert REPORTS not in sys.modules


def test_it_is_shown_again_after_an_error(monkeypatch):
    monkeypatch.delitem(sys.modules, REPORTS, raising=False)
    with pytest.raises(RuntimeError), usage_reports_off():
        raise RuntimeError
    assert REPORTS not in sys.modules


def test_a_package_that_was_imported_before_stays(monkeypatch):
    module = object()
    monkeypatch.setitem(sys.modules, REPORTS, module)
    with usage_reports_off():
        assert sys.modules[REPORTS] is module
    assert sys.modules[REPORTS] is module
