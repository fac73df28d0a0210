"""The example data of R's survey package, which R writes; tests are skipped where it is not installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "bench" / "reference" / "survey_data.R"


def write_examples(folder):
    """Let R write its data as CSV into a folder, and return the folder."""
    if shutil.which("Rscript") is None:
        pytest.skip("needs R with the package survey (Debian: r-cran-survey)")
    made = subprocess.run(["Rscript", SCRIPT, folder], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"R has no package survey: {made.stderr.strip().splitlines()[-1]}")
    return folder
