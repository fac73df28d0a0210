"""The example's study on the real local model, two personas of it."""

from pathlib import Path

import polars as pl
import pytest

from semscale.judging.asking import Running
from semscale.study import load
from semscale.study.files.loading import parse_study
from semscale.study.study import Study

EXAMPLE = Path(__file__).parents[2] / "examples" / "study"


def test_the_example_is_a_study():
    study = load(EXAMPLE / "snack_bars.yaml")
    # 6 personas x 2 concepts x 4 methods.
    assert study.design.n_answers == 48
    assert study.design.plan.model.name == "local"


@pytest.mark.needs("local")
def test_it_runs_on_the_local_model(tmp_path):
    text = (EXAMPLE / "snack_bars.yaml").read_text(encoding="utf-8")
    people = (EXAMPLE / "personas.csv").read_text(encoding="utf-8").splitlines()[:3]
    (tmp_path / "personas.csv").write_text("\n".join(people))
    design = parse_study(text.encode(), source="snack_bars.yaml", folder=tmp_path)
    result = Study(design).run(running=Running(ledger=tmp_path / "ledger.sqlite"))
    assert result.answers.height == 16
    # Decisions have probabilities and no words.
    assert result.answers.filter(pl.col("method") != "decision")["reply"].null_count() == 0
    assert result.facts.form == "next-token"
    assert set(result.answers.filter(method="decision")["status"]) == {"scored"}
    assert "scored" in result.answers.filter(method="ssr")["status"].to_list()
    unrated = result.answers.filter(pl.col("status") != "scored")
    assert unrated["value"].null_count() == unrated.height
