"""Summaries that show themselves."""

from dataclasses import dataclass

import pytest

from semscale.presentable import Presentable


def test_a_summary_without_a_record_cannot_be_made():
    @dataclass
    class Unnamed(Presentable):
        source: str

    with pytest.raises(TypeError, match="abstract method '?record"):
        Unnamed("a.csv")
