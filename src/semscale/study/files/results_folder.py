"""Reads the folder of a study's run, and refuses one that was edited or is not finished."""

from pathlib import Path

import polars as pl

from semscale.errors import InputError
from semscale.signature import Signature
from semscale.study.measuring.answers import SCHEMA
from semscale.study.panel.synthetic_panel import SyntheticPanel
from semscale.study.result import ANSWERS, FILE, PANEL, PROMPTS, RECORD, StudyResult
from semscale.study.run_record import RUN_AGAIN, RunRecord
from semscale.weights.download_staging import sha256_of


def read_study(folder: str | Path, *, allow_unfinished: bool = False) -> StudyResult:
    """Read what ``study run`` or ``StudyResult.save`` left in a folder; nobody is asked.

    Args:
        folder: with the tables of personas and answers, and the record of the run.
        allow_unfinished: whether a run that a cap stopped will do; its summary then has a caution.

    Returns:
        Answers, design, signature and facts as they were, also where the study's file, its scales and its
        images changed since.

    Raises:
        InputError: the folder has no run, a file is missing or was edited, or answers are missing.
    """
    place = Path(folder)
    record = RunRecord.parse(_content(place / RECORD), source=str(place / RECORD))
    for name, sha256 in record.sha256.items():
        _check(place / name, sha256)
    answers = pl.read_parquet(place / ANSWERS)
    if PROMPTS not in record.sha256 or not set(SCHEMA) <= set(answers.columns):
        raise InputError(f"{place / RECORD} was written by another version: {RUN_AGAIN}")
    answers, prompts = answers.select(*SCHEMA), pl.read_parquet(place / PROMPTS)
    panel = SyntheticPanel.of_frame(pl.read_parquet(place / PANEL), record.panel_source)
    content = (place / FILE).read_bytes() if FILE in record.sha256 else b""
    design = record.design(panel, content)
    result = StudyResult(design, answers, Signature.parse(record.signature), record.facts, prompts)
    if result.n_unfinished and not allow_unfinished:
        raise InputError(
            f"{place}: {result.n_unfinished:,} of {answers.height:,} answers were not asked for "
            f"({record.facts.stopped}): run the study again into this folder to go on, or allow unfinished "
            "runs"
        )
    return result


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror or error}; name a folder that study run wrote, and "
            "where that is older than the file, run the study again"
        ) from None


def _check(path: Path, sha256: str) -> None:
    try:
        found = sha256_of(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}; {RUN_AGAIN}") from None
    if found != sha256:
        raise InputError(f"{path} was changed after the run, or saving was cut off: {RUN_AGAIN}")
