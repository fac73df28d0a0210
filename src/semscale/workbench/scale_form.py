"""Scales of a project, and the form that writes one: its labels, anchor sets and probes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel

from semscale.errors import InputError
from semscale.scales.library import load_scale, scale_names
from semscale.scales.scale import Scale
from semscale.types import FEWEST_POINTS, MOST_POINTS
from semscale.weights.known import DEFAULT_RATING_MODEL
from semscale.workbench.project import SCALES, ConflictError, Project, version_of_content

_POINTS = 5
_LONGEST_NAME = 60


def project_scales(project: Project) -> tuple[dict[str, Scale], list[str]]:
    """Return the scales of a project and those of Semscale, by the name that commands read.

    Returns:
        The scales, and a sentence on each file of the project that cannot be read as one.
    """
    folder = project.folder / SCALES
    local = sorted(folder.glob("*.yaml")) if folder.is_dir() else []
    names = [f"{SCALES}/{path.name}" for path in local if path.is_file()] + scale_names()
    scales, mistakes = {}, []
    for name in names:
        try:
            scales[name] = load_scale(scale_path(project, name))
        except InputError as error:
            mistakes.append(str(error))
    return scales, mistakes


def scale_path(project: Project, name: str) -> str | Path:
    """Return the path of a scale of the project, or the name of one of Semscale's.

    Raises:
        InputError: there is no such scale.
    """
    if name in scale_names():
        return name
    path = project.folder / SCALES / name.removeprefix(f"{SCALES}/")
    if path.parent != project.folder / SCALES or not path.is_file():
        raise InputError("scale", f"must be one of the list, got {name!r:.40}")
    return path


@dataclass(frozen=True)
class StoredScale:
    """A scale that the form changes, as it is stored.

    Attributes:
        scale: the scale, with the sets that rate; ``None`` if the form writes a new one.
        path: its file in the project; ``None`` for a scale of Semscale's and for a new one.
        content: the file's bytes; ``None`` likewise.
    """

    scale: Scale | None = None
    path: Path | None = None
    content: bytes | None = None

    @classmethod
    def read(cls, project: Project, name: str) -> Self:
        """Read a scale; an empty name stands for a new one.

        Raises:
            InputError: there is no such scale, or its file is no scale.
        """
        if not name:
            return cls()
        path = scale_path(project, name)
        if isinstance(path, str):
            return cls(load_scale(path).for_model(DEFAULT_RATING_MODEL))
        return cls(load_scale(path), path, path.read_bytes())

    @property
    def version(self) -> str:
        """Hash of the file, by which a change in an editor is noticed; empty without a file."""
        return "" if self.content is None else version_of_content(self.content)


class ScaleForm(BaseModel):
    """Fields of the form.

    Attributes:
        scale: name of the scale that the form changes; empty for a new one.
        version: hash of its file.
        text: open question whose answers show the effect.
        name: name of the file, without folder and extension.
        title: measured construct.
        question: a question whose answers it rates.
        value: values of the points.
        label: their labels.
        set_name: names of the anchor sets.
        anchor: sentences of all sets, one set after the other.
        probe: for each point its probes, one per line.
        current: position of the set that is being written.
        change: ``add`` adds a set, ``remove:2`` removes the third.
    """

    scale: str = ""
    version: str = ""
    text: str = ""
    name: str = ""
    title: str = ""
    question: str = ""
    value: list[str] = []
    label: list[str] = []
    set_name: list[str] = []
    anchor: list[str] = []
    probe: list[str] = []
    current: str = "0"
    change: str = ""

    @classmethod
    def of_stored(cls, name: str, stored: StoredScale) -> Self:
        """Return the form that shows a scale with the sets that rate; blank without a scale."""
        if stored.scale is None:
            return cls.blank()
        scale = stored.scale.for_model(DEFAULT_RATING_MODEL)
        values = [point.value for point in scale.points]
        return cls(
            scale=name,
            version=stored.version,
            name=f"my-{scale.name}" if stored.path is None else stored.path.stem,
            title=scale.title,
            question=scale.question,
            value=[f"{value:g}" for value in values],
            label=list(scale.labels),
            set_name=list(scale.anchor_sets),
            anchor=[sentence for anchors in scale.anchor_sets.values() for sentence in anchors],
            probe=[
                "\n".join(probe.text for probe in scale.probes if probe.level == value) for value in values
            ],
        )

    @classmethod
    def blank(cls, points: str = "") -> Self:
        """Return the form for a new scale.

        Args:
            points: number of points, as the address has it.
        """
        stated = int(points) if points.isdecimal() else _POINTS
        n = min(max(stated, FEWEST_POINTS), MOST_POINTS)
        return cls(
            value=[str(number) for number in range(1, n + 1)],
            label=[""] * n,
            set_name=["set-1"],
            anchor=[""] * n,
            probe=[""] * n,
        )

    @property
    def sets(self) -> list[tuple[str, list[str]]]:
        """Names and sentences of the sets.

        Raises:
            InputError: a field is missing.
        """
        n = len(self.value)
        is_complete = n and len(self.label) == len(self.probe) == n
        if not is_complete or len(self.anchor) != n * len(self.set_name):
            raise InputError("the fields of the form are incomplete: load the page again")
        return [(name, self.anchor[n * row : n * (row + 1)]) for row, name in enumerate(self.set_name)]

    @property
    def current_set(self) -> str:
        """Name of the set that is being written; empty without one."""
        position = int(self.current) if self.current.isdecimal() else 0
        return plain_name(self.set_name[position]) if position < len(self.set_name) else ""

    def with_change(self) -> Self:
        """Return the form with a set added or removed, as a button asks for."""
        sets, (verb, _, position) = self.sets, self.change.partition(":")
        current = self.current
        if verb == "add":
            number = next(n for n in range(1, len(sets) + 2) if f"set-{n}" not in self.set_name)
            sets.append((f"set-{number}", [""] * len(self.value)))
            current = str(len(sets) - 1)
        elif verb == "remove" and position.isdecimal() and int(position) < len(sets):
            del sets[int(position)]
            current = "0"
        fields = {
            "set_name": [name for name, _ in sets],
            "anchor": [sentence for _, anchors in sets for sentence in anchors],
            "current": current,
            "change": "",
        }
        return self.model_copy(update=fields)

    def apply(self, base: Scale | None) -> Scale:
        """Return the scale that the form states; sets without any sentence are left out.

        Args:
            base: the scale that the form changes; ``None`` for a new one.

        Raises:
            InputError: a field is empty or wrong.
        """
        typed = [(name, tuple(anchors)) for name, anchors in self.sets if any(map(str.strip, anchors))]
        named = [(plain_name(name), anchors) for name, anchors in typed]
        sets = dict(named)
        if "" in sets:
            wrong = next(name for name, _ in typed if not plain_name(name))
            raise InputError(f"names of anchor sets must have letters from a to z, got {wrong!r:.40}")
        if len(sets) < len(named):
            raise InputError("anchor sets must have different names")
        fields = {} if base is None else dict(base)
        fields |= {
            "name": plain_name(self.name) or "my-scale",
            "title": self.title,
            "question": self.question,
            "points": [
                {"value": value, "label": label}
                for value, label in zip(self._values, self.label, strict=True)
            ],
            "anchor_sets": sets,
            "probes": tuple(self._probes(base)),
        }
        if base is None:
            fields["provenance"] = f"Written in the workbench, {_today()}."
        else:
            fields |= _with_unshown_sets(base, sets)
        return Scale(**fields)

    @property
    def _values(self) -> list[float]:
        try:
            return [float(value) for value in self.value]
        except ValueError:
            raise InputError("the fields of the form are incomplete: load the page again") from None

    def _probes(self, base: Scale | None) -> Iterator[dict[str, Any]]:
        """Yield the probes of the form, and those between two points, which it does not show."""
        values = self._values
        shown = {probe.text: probe.level for probe in ([] if base is None else base.probes)}
        yield from ({"text": text, "level": level} for text, level in shown.items() if level not in values)
        for value, lines in zip(values, self.probe, strict=True):
            for text in filter(None, map(str.strip, lines.splitlines())):
                yield {"text": text, "level": value}

    def target(self, project: Project, stored: StoredScale) -> Path:
        """Return the file to write: the scale's own, or a new one.

        Raises:
            ConflictError: the file was changed since the page was shown, or another scale has that name.
            InputError: the name is empty, or one of Semscale's.
        """
        name = plain_name(self.name)
        if not name:
            raise InputError(
                "name", f"must have letters from a to z, such as my-quality, got {self.name!r:.40}"
            )
        if name in scale_names():
            raise InputError("name", f"must be a new name, such as my-quality, got {self.name!r:.40}")
        path = project.folder / SCALES / f"{name}.yaml"
        if path != stored.path and path.exists():
            raise ConflictError(f"{SCALES}/{path.name} exists: choose another name")
        if path == stored.path and self.version != stored.version:
            raise ConflictError(
                f"{SCALES}/{path.name} was changed outside of this page, so nothing was saved: load it again"
            )
        return path


def plain_name(text: str) -> str:
    """Return a text as the name of a scale or a set: lower-case letters and digits joined by hyphens.

    Examples:
        >>> plain_name(" My bank! ")
        'my-bank'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower())[:_LONGEST_NAME].strip("-")


def as_copy(scale: Scale, base: Scale) -> Scale:
    """Return a changed scale with a provenance of its own; notes on the original are left out."""
    provenance = f"Changed from the scale {base.name}, {_today()}."
    return scale.model_copy(update={"provenance": provenance, "notes": ""})


def _with_unshown_sets(base: Scale, sets: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return the fields of a scale with sets for several models, of which the form shows those that rate."""
    shown = base.for_model(DEFAULT_RATING_MODEL).anchor_sets
    merged = {
        name: sets.get(name, anchors)
        for name, anchors in base.anchor_sets.items()
        if name in sets or name not in shown
    } | dict(sets)
    new = tuple(name for name in sets if name not in base.anchor_sets)
    by_model = {
        model: tuple(name for name in names if name in merged)
        + (new if model == DEFAULT_RATING_MODEL else ())
        for model, names in base.sets_by_model.items()
    }
    sources = {name: source for name, source in base.sources.items() if name in merged}
    return {
        "anchor_sets": merged,
        "sets_by_model": {model: names for model, names in by_model.items() if names},
        "sources": sources,
    }


def _today() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"
