"""The record of a run: what was asked, whom and how, and hashes of the tables beside it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from pydantic import TypeAdapter, ValidationError

from semscale.drift.asking.prompt_template import PromptTemplate
from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.signature import Signature
from semscale.study.asking.run_facts import RunFacts
from semscale.study.design import StudyDesign
from semscale.study.panel.synthetic_panel import SyntheticPanel
from semscale.study.questionnaire import Questionnaire, StudyPlan


@dataclass(frozen=True)
class RunRecord:
    """A run but for its personas and answers.

    Scales and images stand in it wholly, so that it needs none of the files that the study's file names.

    Attributes:
        name: of the study.
        source: the file that it was read from.
        questionnaire: concepts and questions.
        panel_source: where the personas come from.
        template: of the words that tell the model who a persona is.
        plan: model, caps, groups, seed.
        signature: what was applied.
        facts: what the calls took, and why not everything was asked.
        sha256: by name, hashes of the files beside the record.
    """

    name: str
    source: str
    questionnaire: Questionnaire
    panel_source: str
    template: PromptTemplate
    plan: StudyPlan
    signature: str
    facts: RunFacts
    sha256: Mapping[str, str]

    @classmethod
    def of(
        cls, design: StudyDesign, signature: Signature, facts: RunFacts, sha256: Mapping[str, str]
    ) -> Self:
        """Record a run.

        Args:
            design: what was asked, whom, and how.
            signature: what was applied.
            facts: what the calls took.
            sha256: by name, hashes of the files beside the record.
        """
        return cls(
            design.name,
            design.source,
            design.questionnaire,
            design.panel.source,
            design.template,
            design.plan,
            str(signature),
            facts,
            sha256,
        )

    def design(self, panel: SyntheticPanel, content: bytes) -> StudyDesign:
        """Put the design together again.

        Args:
            panel: the personas.
            content: bytes of the study's file; empty where there was none.
        """
        return StudyDesign(
            self.name, self.source, self.questionnaire, panel, self.template, self.plan, content
        )

    def to_json(self) -> str:
        """Write the record as JSON, with a hash of all that is in it."""
        content = _ADAPTER.dump_python(self, mode="json")
        return json.dumps({"sha256": _hash_of(content), "run": content}, ensure_ascii=False, indent=1)

    @classmethod
    def parse(cls, content: bytes, *, source: str) -> "RunRecord":
        """Read a record.

        Args:
            content: bytes of a file that ``to_json`` wrote.
            source: its name in messages.

        Raises:
            InputError: it is no record, or it was changed since it was written.
        """
        try:
            fields = parse_json(content.decode("utf-8"))
        except (UnicodeDecodeError, json.JSONDecodeError):
            fields = None
        if not isinstance(fields, dict) or not {"sha256", "run"} <= fields.keys():
            raise InputError(f"{source} is no record of a study's run: name a folder that study run wrote")
        if _hash_of(fields["run"]) != fields["sha256"]:
            raise InputError(f"{source} was changed after the run: {RUN_AGAIN}")
        try:
            return _ADAPTER.validate_python(fields["run"])
        except ValidationError:
            raise InputError(f"{source} was written by another version: {RUN_AGAIN}") from None


RUN_AGAIN = "run the study again into this folder; replies come from the ledger, free of charge"
"""What to do about a folder that cannot be read."""

_ADAPTER: TypeAdapter[RunRecord] = TypeAdapter(RunRecord)


def _hash_of(content: Any) -> str:  # noqa: ANN401 - what JSON can hold
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
