from pathlib import Path

import polars as pl
import pytest

from semscale.distributed.node_checks import NodeReport, check_report, report
from semscale.errors import InputError, ModelError
from semscale.signature import Signature
from semscale.store.reading import open_table

OURS = Signature("embed", (("model", "words#1f2e"), ("engine", "openvino-2026.4.1")), "1.0")


class Named:
    """A recipe of which only the model's name counts."""

    def __init__(self, found):
        self._found = found

    def signature(self):
        if isinstance(self._found, Exception):
            raise self._found
        return self._found


def test_nodes_like_this_machine_pass():
    check_report("10.0.0.2", NodeReport("1.0", OURS), OURS, "in")


def test_another_version_is_refused():
    with pytest.raises(InputError, match=r"node 10\.0\.0\.2 has semscale 1\.1, this machine 1\.0; install"):
        check_report("10.0.0.2", NodeReport("1.1", OURS), OURS, "in")


def test_other_weights_are_refused():
    theirs = Signature("embed", (("model", "words#aaaa"), *OURS.fields[1:]), "1.0")
    with pytest.raises(InputError, match=r"has model words#aaaa, this machine words#1f2e, so their numbers"):
        check_report("10.0.0.2", NodeReport("1.0", theirs), OURS, "in")


def test_an_input_that_is_not_there_is_refused():
    with pytest.raises(InputError, match=r"node 10\.0\.0\.2 does not read in as this machine does"):
        check_report("10.0.0.2", NodeReport("1.0", OURS, sees_input=False), OURS, "in")


def test_weights_that_a_node_cannot_get_keep_their_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = report(Named(ModelError("no source has them")), None, None, str(tmp_path))
    with pytest.raises(ModelError, match=r"node 10\.0\.0\.2: no source has them"):
        check_report("10.0.0.2", found, OURS, "in")


def test_a_node_compares_the_first_row(tmp_path):
    file = tmp_path / "in.parquet"
    pl.DataFrame({"text": ["one", "two"]}).write_parquet(file)
    table = open_table(file)
    assert report(Named(OURS), table, pl.DataFrame({"text": ["one"]}), "gone").sees_input
    assert not report(Named(OURS), table, pl.DataFrame({"text": ["other"]}), "gone").sees_input
    Path(file).unlink()
    assert not report(Named(OURS), table, pl.DataFrame({"text": ["one"]}), "gone").sees_input
