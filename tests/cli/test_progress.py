"""Bars on a terminal; in a pipe a line for a download and for each wait."""

import io

import pytest

from semscale.cli.progress import progress_bars
from semscale.progress import amount, rate, time_left


class Terminal(io.StringIO):
    """A stream that says it is a terminal, or is not."""

    def __init__(self, interactive: bool) -> None:
        super().__init__()
        self.interactive = interactive

    def isatty(self) -> bool:
        return self.interactive


def test_a_pipe_gets_no_character(monkeypatch):
    stream = Terminal(interactive=False)
    monkeypatch.setattr("sys.stderr", stream)
    with progress_bars() as progress:
        progress("embedding", 1, 2)
        progress("rating", 3, None)
    assert stream.getvalue() == ""


def test_a_pipe_gets_a_line_when_a_run_begins_to_wait(monkeypatch):
    stream = Terminal(interactive=False)
    monkeypatch.setattr("sys.stderr", stream)
    stage = "waiting for m (seconds without a reply)"
    with progress_bars() as progress:
        for seconds in (10, 11, 12, 0, 10, 11):  # at 0 a reply has come
            progress(stage, seconds, 300)
            progress("asking m", 0, 5)
    assert stream.getvalue() == f"semscale: {stage}: 10 of 300\n" * 2


def test_a_pipe_gets_no_line_for_the_wait_for_a_first_connection(monkeypatch):
    stream = Terminal(interactive=False)
    monkeypatch.setattr("sys.stderr", stream)
    with progress_bars() as progress:
        progress("waiting for a connection to m (seconds)", 3, 30)
    assert stream.getvalue() == ""


def test_a_pipe_gets_a_line_per_model_that_is_pulled(monkeypatch, tmp_path):
    stream = Terminal(interactive=False)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path))
    with progress_bars() as progress:
        for stage, total in (("pulling e5-small", 70_000_000), ("pulling a--model", 5_400_000)):
            for done in (0, 1_000_000, total):  # the wheels of one model are pulled one after the other
                progress(stage, done, total)
    models_folder = "".join(str(tmp_path / "models").split())
    printed = stream.getvalue().splitlines()
    # 88,705,130 bytes are the files of e5-small.
    assert printed == [
        f"semscale: pulling e5-small (89 MB) once, into {models_folder}",
        f"semscale: pulling a--model (5 MB) once, into {models_folder}",
    ]


def test_a_terminal_shows_all_stages_and_their_progress(monkeypatch):
    stream = Terminal(interactive=True)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with progress_bars() as progress:
        progress("embedding", 1, 2)
        progress("rating", 3, None)
    assert "embedding" in stream.getvalue()
    assert "1 of 2" in stream.getvalue()
    assert "rating" in stream.getvalue()


def test_waiting_has_neither_a_rate_nor_an_end():
    stage = "waiting for m (seconds without a reply)"
    assert (rate(stage, 1.0), time_left(stage, 290.0)) == ("", "")


@pytest.mark.parametrize(
    ("stage", "done", "total", "shown"),
    [("rating", 7, None, "7"), ("rating", 0, 0, "0 of 0"), ("pulling x", 500_000, None, "0 MB")],
)
def test_amounts(stage, done, total, shown):
    assert amount(stage, done, total) == shown
