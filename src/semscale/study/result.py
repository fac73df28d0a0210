"""The result of a study: all answers, the panel that gave them, and what it took."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.atomic import replacing
from semscale.store.writing import write_table
from semscale.study.asking.run_facts import RunFacts
from semscale.study.design import StudyDesign

if TYPE_CHECKING:
    from semscale.study.summary.study_summary import StudySummary

PANEL, ANSWERS, SUMMARY, FILE = "panel.parquet", "answers.parquet", "study.json", "study.yaml"
"""Files in the folder of a result."""


@dataclass(frozen=True, repr=False)
class StudyResult:
    """What a study found.

    Attributes:
        design: what was asked, whom, and how.
        answers: a row for each persona, sample, concept, question and method, with the columns of
            ``semscale.study.measuring.answers.SCHEMA``; what is missing is null.
        signature: what was applied.
        facts: what the calls took, and why not everything was asked.
    """

    design: StudyDesign
    answers: pl.DataFrame
    signature: Signature
    facts: RunFacts

    def __repr__(self) -> str:
        n_scored = int((self.answers["status"] == "scored").sum())
        return f"StudyResult({self.design.name!r}, answers={self.answers.height:,}, scored={n_scored:,})"

    def summary(self, *, plan: IntervalPlan | None = None) -> "StudySummary":
        """Sum the answers up; reports, documents and JSON come from the summary.

        Args:
            plan: how intervals are made; 95 % with the study's seed unless given.
        """
        from semscale.study.summary.study_summary import summarize

        return summarize(self.design, self.answers, self.signature, self.facts, plan)

    def save(self, folder: Path, *, plan: IntervalPlan | None = None) -> None:
        """Write the personas, the answers, the summary as JSON, and the study's file.

        Args:
            folder: is made where it does not exist.
            plan: how the intervals of the summary are made.
        """
        folder.mkdir(parents=True, exist_ok=True)
        write_table(self.design.panel.to_frame(), folder / PANEL)
        write_table(self.answers, folder / ANSWERS)
        with replacing(folder / SUMMARY) as path:
            path.write_text(self.summary(plan=plan).to_json(), encoding="utf-8")
        if self.design.content:
            with replacing(folder / FILE) as path:
                path.write_bytes(self.design.content)
