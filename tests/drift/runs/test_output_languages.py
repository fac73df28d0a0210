from semscale.drift.runs.output_languages import OutputLanguage, output_languages
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.signature import Signature
from semscale.weights.known import KNOWN

MINILM = KNOWN["all-MiniLM-L6-v2"]
ENGLISH_MODEL = Signature.of("drift", model=f"{MINILM.name}#{MINILM.sums[MINILM.weights][:12]}")
FRENCH, ENGLISH = "La batterie tient deux jours.", "The battery lasts two days, and it is quiet."


def run(model, *items):
    numbered = (Item(str(place), tuple(map(Output, texts))) for place, texts in enumerate(items))
    return Run("answers", model, tuple(numbered))


BASELINE = run("old", [ENGLISH, ENGLISH], [FRENCH], ["Paris"])
CANDIDATE = run("new", [ENGLISH], [FRENCH, FRENCH], [])


def test_outputs_of_both_runs_are_counted_by_language():
    assert output_languages(BASELINE, CANDIDATE, ENGLISH_MODEL) == (
        OutputLanguage("en", baseline=2, candidate=1, read=True),
        OutputLanguage("fr", baseline=1, candidate=2, read=False),
        OutputLanguage(None, baseline=1, candidate=0, read=None),
    )


def test_nothing_is_said_of_a_model_of_which_it_is_not_known_what_it_reads():
    found = output_languages(BASELINE, CANDIDATE, Signature.of("drift", model="my-folder#0123"))
    assert {one.read for one in found} == {None}
