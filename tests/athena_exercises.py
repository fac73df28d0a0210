"""The samples of Athena's exercises. The repository does not carry them, as students wrote their texts."""

from pathlib import Path

FOLDER = Path(__file__).parents[2] / "shared" / "data" / "athena"
SOURCE = "github.com/ls1intum/edutelligence, athena/tests/modules/text/module_text_llm/real/data/samples"
MISSING = f"not in {FOLDER}: sampled_exercise-6715.json, -6787.json and -6794.json; they are at {SOURCE}"
"""Why a test that needs them is skipped, and where they are."""
