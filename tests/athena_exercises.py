"""Samples of Athena's exercises; the repository does not contain them, as students wrote the texts."""

from pathlib import Path

FOLDER = Path(__file__).parents[2] / "shared" / "data" / "athena"
SOURCE = "github.com/ls1intum/edutelligence, athena/tests/modules/text/module_text_llm/real/data/samples"
MISSING = f"not in {FOLDER}: sampled_exercise-6715.json, -6787.json and -6794.json; they are at {SOURCE}"
"""Reason for skipping a test that needs them, with their folder."""
