"""Writes the seeds of the corpus: ``python -m tests.fuzz.seeds``.

They are small valid inputs of every reader. Inputs that broke one stand beside them, named after the defect.
"""

import io
import json
import sqlite3
from contextlib import closing
from datetime import UTC, date, datetime, time
from importlib import resources
from pathlib import Path

import numpy as np
import polars as pl
import xlsxwriter
from safetensors.numpy import save
from tests.fuzz import readers
from tests.fuzz.targets import CORPUS
from tests.support.q4_writer import Q4Writer

from semscale.embedding.cache import FILE_NAME, EmbeddingCache
from semscale.embedding.embedder import Embeddings
from semscale.history.history import open_history
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.rating.calibration import Calibration, Familiarity, HonestError, LabelSource, calibration_text
from semscale.rating.gaussian_process import GaussianProcess, Posterior
from semscale.signature import Signature

EXAMPLES = Path(__file__).parents[2] / "examples"
FRAME = pl.DataFrame(
    {
        "id": ["a", "b", None],
        "output": [["Good.", None], [], ["Bad."]],
        "n": [1, None, 3],
        "x": [0.5, float("nan"), None],
        "day": [date(2026, 1, 31), None, date(1, 1, 1)],
        "at": [datetime(2026, 1, 31, 12, tzinfo=UTC), None, None],
        "kind": pl.Series(["u", "v", None], dtype=pl.Categorical),
        "who": [{"name": "Ana", "age": 5}, {"name": None, "age": None}, None],
        "raw": [b"\x00\xff", b"", None],
        "sure": [True, None, False],
    }
)
EXERCISE = {
    "id": 7,
    "title": "Layers",
    "baseline_info": {"model": "model-a", "generated_at": "2026-01-31T12:00:00Z"},
    "submissions": [
        {
            "id": 1,
            "text": "A layer hides another.",
            "language": "en",
            "feedbacks": [{"id": 1, "title": "Good", "description": "Well seen.", "credits": 1.5}, None],
        },
        {
            "id": "2",
            "text": None,
            "baseline_feedback": {
                "timestamp": "2026-01-30",
                "model_version": "model-a",
                "feedback": [{"description": "Too short.", "credits": "-1"}],
            },
        },
    ],
}
SNAPSHOTS = {
    "format": 1,
    "snapshots": {
        "test_one": {
            "answer": {
                "outputs": [{"text": ["one", "two"], "credits": 1.0}, {"text": "three"}],
                "measured_by": {"model": "minilm", "weights": "0123"},
            }
        }
    },
}
REPLY = {
    "choices": [
        {
            "message": {"content": "Score: 4", "refusal": None},
            "finish_reason": "stop",
            "logprobs": {
                "content": [
                    {"token": "4", "logprob": -0.5, "top_logprobs": [{"token": "4", "logprob": -0.5}]}
                ]
            },
        }
    ],
    "usage": {"prompt_tokens": 12, "completion_tokens": 3},
    "model": "model-a",
}
STORED_REPLY = {
    "text": "Score: 4",
    "finish_reason": "stop",
    "usage": [12, 3],
    "logprobs": [["4", -0.5, [["4", -0.5]]]],
    "model": "model-a",
    "raw": "{}",
    "left_out": ["seed"],
}
GATE = """alpha: 0.05
metrics: [match, silence]
by: exercise
material: {match: 0.1}
thresholds: {min_match: 0.4}
"""
PRICES = "currency: USD\nper_tokens: 1000000\nmodels:\n  gpt-4o*: {prompt: 0.15, completion: 0.60}\n"
PANEL = """judges:
  - {model: one, template: likert}
  - model: other
    base_url: http://localhost:1/v1
"""
NO_BYTES = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
REPLIES = (
    "Score: 4\nExplanation: It names 3 of the 4 causes.",
    '{"score": 3, "explanation": "Two of 5 are wrong."}',
    "<think>Perhaps 2?</think>\n**Overall: 5/5**\n\n| part | score |\n|---|---|\n| style | 4 |",
    'I refuse. "Score: 5" stands in the answer. Sorry, I meant 3, not 4 (on a 10-point scale).',
)
PAIRS = (
    "The patient takes 0.5 mg twice a day, not before 10:30 p.m.\nThe patient takes 50 mg every two weeks.",
    "No, it is not safe to turn it on in London.\nYes, William Shakespeare's lamp isn't off: avoid it.",
)


def table_seeds() -> dict[str, bytes]:
    csv = b'id,output,human,weight,group\n1,"[""Yes."", ""No.""]","[3, 4]",0.5,a\n'
    csv += b'2,"good; ""mostly""\nso",4,,b\n'
    lines = [
        {"id": 1, "output": ["Good.", None]},
        {"id": "b", "output": {"text": "x", "credits": -1}, "human": [3]},
    ]
    packed = io.BytesIO()
    FRAME.write_parquet(packed)
    return {
        "csv/plain.csv": csv,
        "csv/qualtrics.csv": b'Q1\nHow was it?\n"{""ImportId"":""QID1_TEXT""}"\nGood.\n',
        "csv/semicolons.csv": b"sep=;\nid;text\n1;3,5\n\n2;\n",
        "csv/wide-letters.csv": "id,text\n1,größer\n".encode("utf-16"),
        "tsv/plain.tsv": csv.replace(b",", b"\t"),
        "jsonl/plain.jsonl": "".join(json.dumps(line) + "\n" for line in lines).encode(),
        "jsonl/example.jsonl": b"".join((EXAMPLES / "drift/baseline.jsonl").open("rb").readlines()[:3]),
        "parquet/plain.parquet": packed.getvalue(),
        "xlsx/plain.xlsx": workbook(),
    }


def workbook() -> bytes:
    packed = io.BytesIO()
    with xlsxwriter.Workbook(packed, {"nan_inf_to_errors": True}) as book:
        sheet = book.add_worksheet()
        day = book.add_format({"num_format": "yyyy-mm-dd hh:mm"})
        duration = book.add_format({"num_format": "[h]:mm"})
        sheet.write_row(0, 0, ["id", "output", "day", "long", "n", "sure"])
        sheet.write_row(1, 0, [1, "good"])
        sheet.write_datetime(1, 2, datetime(2026, 1, 31, 12, 30), day)
        sheet.write_number(1, 3, 1.5, duration)
        sheet.write_row(1, 4, [float("inf"), True])
        sheet.write_datetime(2, 2, time(12, 30), day)
        sheet.write_formula(2, 4, "=1/0", None, "#DIV/0!")
        book.add_worksheet("empty")
    return packed.getvalue()


def text_seeds() -> dict[str, bytes]:
    scale = (resources.files("semscale.scales") / "quality.yaml").read_bytes()
    new = (resources.files("semscale.cli") / "new_scale.yaml.txt").read_bytes()
    baseline = {
        "model": "minilm",
        "layers": [{"precision": 0.1, "recall": 0.2, "f1": 0.15}],
        "human": {"best_layer": 0},
    }
    entry = {"timestamp": "2026-01-31", "history": [{"timestamp": "2026-01-30"}]}
    stamp = {"model.safetensors": {"sha256": "0" * 64, "size": 1, "modified": 2}}
    manifest = json.dumps({"key": {"seed": "1"}}) + "\n"
    note = json.dumps({"rows": 2, "checksum": NO_BYTES, "notes": {"a": [1]}})
    task = {"inputs": [{"question": "Why?"}], "responses": [[{"generated_text": "<think>so</think> True"}]]}
    documents = {
        "athena/plain.json": EXERCISE,
        "athena_report/plain.json": {"exercises": {"7": entry}},
        "submission/plain.json": task,
        "snapshots/plain.json": SNAPSHOTS,
        "baseline/calibrated.json": baseline,
        "stamps/plain.json": stamp,
        "endpoint_reply/plain.json": REPLY,
    }
    seeds = {name: json.dumps(document).encode() for name, document in documents.items()}
    seeds |= {f"judge_reply/reply-{number}.txt": text.encode() for number, text in enumerate(REPLIES)}
    seeds |= {f"guard_pair/pair-{number}.txt": text.encode() for number, text in enumerate(PAIRS)}
    return seeds | {
        "scale/quality.yaml": scale,
        "scale/new.yaml": new,
        "gate/plain.yaml": GATE.encode(),
        "prices/plain.yaml": PRICES.encode(),
        "panel/plain.yaml": PANEL.encode(),
        "baseline/table.tsv": b"LAYER,P,R,F\n0,0.1,0.2,0.15\n1,0.3,0.2,0.25\n",
        "parts/plain.txt": (manifest + note).encode(),
        "ledger_entry/replied.txt": b"replied\n" + json.dumps(STORED_REPLY).encode(),
        "ledger_entry/refused.txt": b'refused\n{"message": "m refused", "raw": ""}',
    }


def weights_seeds() -> dict[str, bytes]:
    numbers = {"a": np.array([[0.5, -2]], np.float32), "b": np.ones(3, np.float16), "ids": np.arange(2)}
    return {"q4_weights/plain.bin": Q4Writer().content(), "safetensors/plain.safetensors": save(numbers)}


def rating_seeds() -> dict[str, bytes]:
    german = (resources.files("semscale.scales") / "translations/de/quality.yaml").read_bytes()
    thresholds = np.array([1.5, 2.5, 3.5, 4.5])
    posteriors = [Posterior(3.0, slope, np.array([0.5, -1.0]), thresholds, 0.8) for slope in (0.4, 0.5, 0.6)]
    fitted = GaussianProcess(
        np.eye(2, dtype=np.float16), np.zeros((2, 8), np.float16), posteriors[0], tuple(posteriors[1:])
    )
    labels = LabelSource(12, 24, "0badcafe", (0, 10), grouped=False, seed=3, texts=("0123456789ab",))
    ratings = Signature("rate", (("scale", "quality#1"), ("floor", "0.1")), "0.1.0")
    near, error = Familiarity(np.array([0.6, 0.8]), 0.5), HonestError(0.1, 0.2)
    whole = Calibration(fitted, near, ratings, "en", labels, error)
    return {
        "translation/quality.yaml": german,
        "calibration/plain.json": calibration_text(whole).encode(),
    }


def database_seeds() -> dict[str, bytes]:
    vectors = Embeddings(np.array([[0.6, 0.8]], np.float32), np.array([1]))
    # Number of windows, share of unknown tokens, and the vector.
    entry = np.array([1], "<u4").tobytes() + np.array([np.nan, 0.6, 0.8], "<f4").tobytes()
    readers.fresh(FILE_NAME)
    with EmbeddingCache(readers.scratch()) as cache:
        cache.put_many([readers.KEY], vectors)
    path = readers.fresh("history.sqlite")
    run = Run(
        "answers", "model-a", (Item("a", (Output("Good.", {"credits": 1.0}),), "Why?", {"topic": "cells"}),)
    )
    with open_history(path) as history:
        history.record(run)
    return {
        "cache_entry/vector.bin": entry,
        "cache_file/plain.sqlite": compact(readers.scratch() / FILE_NAME),
        "history_file/plain.sqlite": compact(path),
        "ledger_file/plain.sqlite": compact_bytes(readers.empty_ledger()),
    }


def compact_bytes(content: bytes) -> bytes:
    return compact(readers.written(content, "compact.sqlite"))


def compact(path: Path) -> bytes:
    """Write a database with small pages and without a log beside it: what is read from one file alone."""
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("PRAGMA journal_mode=DELETE")
        file.execute("PRAGMA page_size=512")
        file.execute("VACUUM")
    return path.read_bytes()


if __name__ == "__main__":
    SEEDS = table_seeds() | text_seeds() | weights_seeds() | rating_seeds() | database_seeds()
    for name, content in SEEDS.items():
        (CORPUS / name).parent.mkdir(parents=True, exist_ok=True)
        (CORPUS / name).write_bytes(content)
