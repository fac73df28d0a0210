"""Texts that people rated on further constructs, from a list of sets and clones of repositories.

A folder has a clone of each repository: ``git clone https://github.com/OWNER/NAME FOLDER/OWNER/NAME``.
"""

import csv
import io
import subprocess
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml
from python_calamine import CalamineWorkbook

from measuring import ROOT
from semscale.scales import Scale

LABELS = {3: ("low", "middle", "high"), 5: ("very low", "low", "middle", "high", "very high")}


class FurtherSet(NamedTuple):
    """Texts with people's ratings, and the scale to rate them on.

    Attributes:
        family: name of the sets that are left out together.
        human: shape (n,), mean rating of each text.
        edits: sentences of the scale, and those that replace them after findings of the linter.
    """

    name: str
    family: str
    texts: list
    human: np.ndarray
    scale: Scale
    edits: dict


def further_construct_sets(folder, most, listed="further_constructs.yaml"):
    """Yield at most ``most`` random texts of each listed set whose clone is in a folder."""
    for entry in yaml.safe_load((ROOT / "bench" / listed).read_text()):
        clone = Path(folder) / entry["repository"]
        if not clone.exists():
            print(f"left out: {entry['name']}, as {clone} is missing")
            continue
        rated = dict(reversed(list(pairs(clone, entry))))
        texts = [text for text, human in rated.items() if np.isfinite(human)]
        chosen = np.random.default_rng(0).permutation(len(texts))[:most]
        texts = [texts[row] for row in np.sort(chosen)]
        human = np.array([rated[text] for text in texts])
        yield FurtherSet(
            entry["name"], entry["family"], texts, human, scale_of(entry), entry.get("edits", {})
        )


def pairs(clone, entry):
    """Yield each text with its rating; NaN without one."""
    content = file_of(clone, entry, entry["file"])
    if "text" not in entry:
        texts = content.decode("utf-8", "replace").strip().split("\n")
        yield from zip(texts, map(float, file_of(clone, entry, entry["human"]).split()), strict=True)
        return
    for row in rows(content, Path(entry["file"]).suffix):
        text, human = str(row[entry["text"]] or ""), str(row[entry["human"]])
        human = str(entry.get("values", {}).get(human, human))
        # No author of a review can give 0 points: it stands for no rating.
        is_rated = human.replace(".", "").lstrip("-").isdigit() and not (
            entry["family"] == "lounge" and float(human) == 0
        )
        if text.strip():
            yield text, float(human) if is_rated else np.nan


def rows(content, suffix):
    if suffix == ".xlsx":
        head, *body = CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0).to_python()
        return [dict(zip(head, row, strict=True)) for row in body]
    text = io.StringIO(content.decode("utf-8", "replace"), newline="")
    return list(csv.DictReader(text, delimiter="\t" if suffix == ".tsv" else ","))


def file_of(clone, entry, path):
    command = ["git", "-C", str(clone), "show", f"{entry['commit']}:{path}"]
    return subprocess.run(command, capture_output=True, check=True).stdout


def scale_of(entry):
    sets = {f"set-{number}": tuple(anchors) for number, anchors in enumerate(entry["sets"], start=1)}
    labels = LABELS[len(entry["sets"][0])]
    return Scale(
        name=entry["name"],
        title=entry["title"],
        question=entry.get("question", f"How high is the text's {entry['title'].lower()}?"),
        language=entry.get("language", "en"),
        points=[{"value": value, "label": label} for value, label in enumerate(labels, start=1)],
        anchor_sets=sets,
        provenance="written for this benchmark before any text was rated",
    )
