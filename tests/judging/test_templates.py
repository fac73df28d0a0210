"""Templates that ship with Semscale: a file in the package's data/templates is all that works needs."""

from pathlib import Path

import pytest

from semscale.judging.replies import read_reply
from semscale.judging.settings import TEMPLATES, JudgeSettings
from semscale.judging.templates import load_template
from semscale.scales import scale_names


def test_the_docs_and_the_help_list_every_template():
    docs = (Path(__file__).parents[2] / "docs" / "judges.md").read_text(encoding="utf-8")
    table = [line.split("|")[1].strip() for line in docs.splitlines() if line.startswith("| `")]
    assert {name for name in TEMPLATES if f"`{name}`" not in table} == set()
    help_text = JudgeSettings.model_fields["template"].description
    assert {name for name in TEMPLATES if name not in help_text} == set()


def test_no_template_has_the_name_of_a_scale():
    assert {*TEMPLATES} & {*scale_names()} == set()


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_level_of_a_template_can_be_stated(name):
    template = load_template(name)
    assert template.name == name
    shown = [level.shown for level in template.levels] or ["0", str(template.highest)]
    scores = [read_reply(f"Score: {text}", template).score for text in shown]
    assert scores == ([level.score for level in template.levels] or [0.0, 1.0])


@pytest.mark.parametrize("name", TEMPLATES)
def test_scores_go_from_0_to_1(name):
    scores = load_template(name).scores.tolist()
    assert (scores[0], scores[-1]) == (0.0, 1.0)
    assert scores == sorted(set(scores))
