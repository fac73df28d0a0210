"""Reads studies from YAML files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from semscale.chat.messages import ImagePart
from semscale.drift.asking.prompt_template import PromptTemplate
from semscale.errors import InputError
from semscale.messages import shortened, unknown_name
from semscale.rating.decided import check_points
from semscale.scales import Scale, load_scale
from semscale.study.design import StudyDesign
from semscale.study.files.mistakes import StudyText
from semscale.study.files.written import MOST_GROUPS, WrittenPanel, WrittenStudy
from semscale.study.panel.margins import checked_shares, joint_shares
from semscale.study.panel.synthetic_panel import ID, SyntheticPanel, drawn_panel, read_panel
from semscale.study.panel.weighting import raked_panel
from semscale.study.questionnaire import (
    Caps,
    Concept,
    ModelChoice,
    Questionnaire,
    StudyPlan,
    SurveyQuestion,
)
from semscale.study.study import Study
from semscale.yaml_reading import parse_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping


def load(path: str | Path) -> Study:
    """Read a study from a YAML file; docs/studies.md lists its keys.

    Paths in the file are relative to the file's own folder.

    Args:
        path: of the file.

    Raises:
        InputError: it cannot be read, or something in it is wrong; the message has the line.
    """
    file = Path(path)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InputError(f"study file {str(path)!r} cannot be read: {error.strerror or error}") from None
    return Study(parse_study(content, source=str(path), folder=file.parent))


def parse_study(content: bytes, *, source: str, folder: Path) -> StudyDesign:
    """Parse a study from the bytes of a YAML file.

    Args:
        content: the file, UTF-8.
        source: the file's name in messages.
        folder: that paths in the file are relative to.

    Raises:
        InputError: as ``load``.
    """
    fields = parse_yaml(content, source=source)
    if not isinstance(fields, dict):
        raise InputError(
            f"{source!r} must hold the keys of a study, such as concepts and questions, "
            f"got {shortened(fields)}"
        )
    text = StudyText(content, source)
    try:
        written = WrittenStudy(**{str(key): value for key, value in fields.items()})
    except ValidationError as error:
        raise text.error_of(error) from None
    return _Reading(text, written, folder).design()


@dataclass(frozen=True)
class _Reading:
    """Makes a design of the keys of a file."""

    text: StudyText
    written: WrittenStudy
    folder: Path

    def design(self) -> StudyDesign:
        written, budget = self.written, self.written.budget
        models = self._models()
        questionnaire = self._questionnaire()
        panel = self._panel(written.panel)
        template = self._template(panel)
        return StudyDesign(
            written.name,
            self.text.source,
            questionnaire,
            panel,
            template,
            StudyPlan(
                models[0],
                Caps(**budget.model_dump()),
                self._groups(panel),
                written.seed,
                written.embedder,
                models[1:],
            ),
            self.text.content,
        )

    def _models(self) -> tuple[ModelChoice, ...]:
        written = self.written.model
        names = [each.name for each in written]
        for place, name in enumerate(names):
            if name in names[:place]:
                raise self.text.error(("model", place), f"model {name!r} is named twice: take one out")
        return tuple(
            ModelChoice(each.name, each.base_url, each.temperature, each.max_tokens) for each in written
        )

    def _questionnaire(self) -> Questionnaire:
        written = self.written
        self._check_different("concepts", [each.name for each in written.concepts], "name")
        self._check_different("questions", [each.name for each in written.questions], "name")
        concepts = tuple(self._concept(place) for place in range(len(written.concepts)))
        shown = [repr((each.text, [image.url for image in each.images])) for each in concepts]
        self._check_different("concepts", shown, "text and images")
        questions = tuple(self._question(place) for place in range(len(written.questions)))
        return Questionnaire(concepts, questions, written.samples, written.exposure, written.rotation)

    def _check_different(self, section: str, values: Sequence[str], what: str) -> None:
        for place, value in enumerate(values):
            if value in values[:place]:
                first = values.index(value) + 1
                one, other = f"{section[:-1]} {first}", f"{section[:-1]} {place + 1}"
                raise self.text.error(
                    (section, place), f"{other} has the same {what} as {one}: change one, or take it out"
                )

    def _concept(self, place: int) -> Concept:
        written = self.written.concepts[place]
        images = []
        for number, source in enumerate(written.images):
            with self.text.located("concepts", place, "images", number):
                is_address = source.startswith(("https://", "http://", "data:"))
                images.append(ImagePart.of(source if is_address else self.folder / source))
        if not written.text.strip() and not images:
            raise self.text.error(("concepts", place), f"concept {written.name!r} needs a text or images")
        return Concept(written.name, written.text.strip(), tuple(images))

    def _question(self, place: int) -> SurveyQuestion:
        written = self.written.questions[place]
        with self.text.located("questions", place, "scale"):
            scale = self._scale(written.scale)
            if "decision" in written.methods:
                check_points(scale)
        self._check_different_methods(place)
        return SurveyQuestion(written.name, written.text or scale.question, scale, tuple(written.methods))

    def _check_different_methods(self, place: int) -> None:
        methods = self.written.questions[place].methods
        twice = next((each for number, each in enumerate(methods) if each in methods[:number]), None)
        if twice is not None:
            raise self.text.error(("questions", place, "methods"), f"method {twice!r} is named twice")

    def _scale(self, name: str) -> Scale:
        own = self.folder / name
        return load_scale(own if name.endswith((".yaml", ".yml")) else name)

    def _panel(self, written: WrittenPanel) -> SyntheticPanel:
        if (written.file is None) == (written.size is None):
            said = "neither" if written.file is None else "both"
            raise self.text.error(
                ("panel",), f"panel needs file, or size with marginals or joint; got {said}"
            )
        if written.file is not None:
            self._refuse(written, ("joint",), "a drawn panel: leave it out beside file")
            with self.text.located("panel", "file"):
                panel = read_panel(self.folder / written.file, name_column=written.id)
            return self._weighted(panel, written.marginals)
        self._refuse(written, ("id",), "a panel from a file: leave it out beside size")
        return self._drawn(written)

    def _weighted(self, panel: SyntheticPanel, margins: "Mapping[str, dict[str, float]]") -> SyntheticPanel:
        for name, levels in margins.items():
            with self.text.located("panel", "marginals", name):
                if name not in panel.fields:
                    raise unknown_name("attribute of the panel", name, [*panel.fields])
                checked_shares(name, levels)
        with self.text.located("panel", "marginals"):
            return raked_panel(panel, margins) if margins else panel

    def _refuse(self, written: WrittenPanel, keys: Sequence[str], owner: str) -> None:
        given = next((key for key in keys if getattr(written, key)), None)
        if given is not None:
            raise self.text.error(("panel", given), f"{given} belongs to {owner}")

    def _drawn(self, written: WrittenPanel) -> SyntheticPanel:
        if not written.marginals and not written.joint:
            raise self.text.error(("panel",), "a drawn panel needs marginals, joint, or both")
        with self.text.located("panel", "joint"):
            joint = joint_shares(written.joint) if written.joint else None
        margins: Mapping[str, dict[str, float]] = written.marginals
        for name, levels in margins.items():
            with self.text.located("panel", "marginals", name):
                checked_shares(name, levels)
        with self.text.located("panel", "marginals" if margins else "joint"):
            return drawn_panel(written.size or 0, margins=margins, joint=joint, seed=self.written.seed)

    def _template(self, panel: SyntheticPanel) -> PromptTemplate:
        template = PromptTemplate("persona", self.written.persona)
        with self.text.located("persona"):
            template.check([*panel.fields, ID], f"the panel ({panel.source})")
        with self.text.located("panel", "file"):
            panel.check(template.columns)
        return template

    def _groups(self, panel: SyntheticPanel) -> tuple[str, ...]:
        groups = tuple(self.written.groups)
        for place, name in enumerate(groups):
            with self.text.located("groups", place):
                if name in groups[:place]:
                    raise InputError(f"group {name!r} is named twice")
                if name not in panel.fields:
                    raise unknown_name("attribute of the panel", name, [*panel.fields])
                n = len(set(panel.fields[name]))
                if n > MOST_GROUPS:
                    raise InputError(f"{name!r} has {n:,} values, and {MOST_GROUPS:,} groups are the most")
        return groups
