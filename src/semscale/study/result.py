"""The result of a study: all answers, the panel that gave them, and what it took."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.atomic import replacing
from semscale.store.writing import write_table
from semscale.study.asking.run_facts import RunFacts
from semscale.study.asking.sent_prompts import prompt_frame
from semscale.study.design import StudyDesign
from semscale.study.run_record import RunRecord
from semscale.types import Status
from semscale.weights.download_staging import sha256_of

if TYPE_CHECKING:
    from semscale.study.summary.study_summary import StudySummary

PANEL, ANSWERS, SUMMARY, FILE = "panel.parquet", "answers.parquet", "study.json", "study.yaml"
PROMPTS, RECORD = "prompts.parquet", "run.json"
"""Files in the folder of a result; the record has what ``read_study`` needs beside the tables."""


@dataclass(frozen=True, repr=False)
class StudyResult:
    """What a study found.

    Attributes:
        design: what was asked, whom, and how.
        answers: a row for each persona, sample, concept, question and method, with the columns of
            ``semscale.study.measuring.answers.SCHEMA``; what is missing is null.
        signature: what was applied.
        facts: what the calls took, and why not everything was asked.
        prompts: what was sent, by the hashes in the answers' ``prompt`` and ``rating_prompt``, with the
            columns of ``semscale.study.asking.sent_prompts.PROMPT_SCHEMA``.
    """

    design: StudyDesign
    answers: pl.DataFrame
    signature: Signature
    facts: RunFacts
    prompts: pl.DataFrame = field(default_factory=lambda: prompt_frame({}))

    def __repr__(self) -> str:
        n_scored = int((self.answers["status"] == "scored").sum())
        return f"StudyResult({self.design.name!r}, answers={self.answers.height:,}, scored={n_scored:,})"

    @property
    def n_unfinished(self) -> int:
        """Answers that were not asked for."""
        return int((self.answers["status"] == str(Status.UNFINISHED)).sum())

    def summary(self, *, plan: IntervalPlan | None = None) -> "StudySummary":
        """Sum the answers up; reports, documents and JSON come from the summary.

        Args:
            plan: how intervals are made; 95 % with the study's seed unless given.
        """
        from semscale.study.summary.study_summary import summarize

        return summarize(self.design, self.answers, self.signature, self.facts, plan)

    def save(self, folder: Path, *, plan: IntervalPlan | None = None) -> None:
        """Write personas, answers, prompts, summary, the study's file, and what ``read_study`` needs.

        Args:
            folder: is made where it does not exist.
            plan: how the intervals of the summary are made.
        """
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RECORD).unlink(missing_ok=True)  # a save that is cut off leaves no readable folder
        write_table(self.design.panel.to_frame(), folder / PANEL)
        write_table(self.answers, folder / ANSWERS)
        write_table(self.prompts, folder / PROMPTS)
        with replacing(folder / SUMMARY) as path:
            path.write_text(self.summary(plan=plan).to_json(), encoding="utf-8")
        if self.design.content:
            with replacing(folder / FILE) as path:
                path.write_bytes(self.design.content)
        kept = [PANEL, ANSWERS, PROMPTS, *([FILE] if self.design.content else [])]
        hashes = {name: sha256_of(folder / name) for name in kept}
        record = RunRecord.of(self.design, self.signature, self.facts, hashes)
        with replacing(folder / RECORD) as path:
            path.write_text(record.to_json(), encoding="utf-8")
