"""Presentation of summaries: reports, JSON and notebooks."""

from dataclasses import dataclass

import pytest

from semscale.presentable import Presentable


def test_a_summary_without_a_record_is_refused():
    @dataclass
    class Unnamed(Presentable):
        source: str

    with pytest.raises(TypeError, match="abstract method '?record"):
        Unnamed("a.csv")


def test_a_summary_without_a_short_repr_is_refused():
    class Unnamed(Presentable):
        def record(self):
            return {}

    with pytest.raises(TypeError, match="abstract method '?__repr__"):
        Unnamed()
