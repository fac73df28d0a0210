"""Every script in ``bench/`` starts: its imports and options fit the code."""

import runpy
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench"
SHARED = {
    "beetle.py",
    "coded_domains.py",
    "drift_pool.py",
    "float32_checkpoint.py",
    "growth_files.py",
    "measuring.py",
    "opened_workbench.py",
    "random_classifier_files.py",
    "rated_texts.py",
    "review_sample.py",
    "further_sets.py",
    "run.py",
    "shared_data.py",
}  # what scripts import, and what runs them
SCRIPTS = sorted(path.name for path in BENCH.glob("*.py") if path.name not in SHARED)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_describe_themselves_in_their_help(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    monkeypatch.syspath_prepend(str(BENCH))
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(BENCH / name), run_name="__main__")
    assert ended.value.code == 0
    usage = capsys.readouterr().out
    assert usage.startswith("usage:")
    assert "--quick" in usage


def test_make_bench_runs_every_script(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    lists = runpy.run_path(str(BENCH / "run.py"))["SCRIPTS"]
    assert sorted(name for scripts in lists.values() for name in scripts) == SCRIPTS


@pytest.mark.parametrize(
    ("arguments", "rows"),
    [([], 1000), (["--quick"], 5), (["--quick", "--rows", "7"], 7), (["--rows", "7"], 7)],
)
def test_a_size_is_small_in_a_quick_run_unless_stated(arguments, rows, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    from measuring import Options

    options = Options("A benchmark.")
    options.add_size("--rows", 1000, quick=5)
    assert options.parse_args(arguments).rows == rows
