"""Opening a history loads what it needs, and naming it loads nothing."""

import subprocess
import sys

import pytest


def test_nothing_heavy_is_loaded_before_a_history_is_opened():
    script = """
import sys
import semscale, semscale.drift, semscale.history.runs, semscale.history.stored_comparison
heavy = {"sqlalchemy", "alembic", "pg8000"} & set(sys.modules)
sys.exit(f"loaded: {heavy}" if heavy else 0)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.exhaustive
def test_alembic_is_loaded_only_to_change_tables(tmp_path):
    script = """
import sys
from semscale.history.history import open_history
with open_history(sys.argv[1]) as history:
    history.runs()
sys.exit(0 if ("alembic" in sys.modules) == (sys.argv[2] == "new") else 1)
"""
    for state in ("new", "old"):
        command = [sys.executable, "-c", script, str(tmp_path / "history.sqlite"), state]
        assert subprocess.run(command, check=False).returncode == 0
