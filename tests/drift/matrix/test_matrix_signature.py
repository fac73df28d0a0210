"""The signature of a matrix names what was asked."""

from made_up_cells import NamedChat, items_to_ask

from semscale.drift.asking import AskSettings, PromptTemplate
from semscale.drift.matrix.cells import cells_of
from semscale.drift.matrix.matrix_signature import matrix_signature


def test_models_prompts_and_parameters_stand_in_it():
    template = PromptTemplate("a.txt", "Hello")
    cells = cells_of([NamedChat("llama3:8b"), NamedChat("y")], [template])
    settings = AskSettings(temperature=0.5, system="Be brief.")
    fields = dict(matrix_signature(cells, items_to_ask(3), settings, 2).fields)
    inputs, system = fields.pop("inputs"), fields.pop("system")
    # The hash is that of the template's test.
    assert (fields["prompts"], fields["models"]) == ("a.txt#185f8db3", "llama3@8b+y")
    assert (fields["items"], fields["asked"], fields["temperature"]) == ("3", "2", "0.5")
    assert system.startswith("#")
    other = dict(matrix_signature(cells, items_to_ask(3, reference="x"), AskSettings(), 1).fields)
    assert other["inputs"] != inputs
    assert "temperature" not in other


def test_inputs_that_are_sent_as_they_are():
    cells = cells_of([NamedChat("x"), NamedChat("y")], [None])
    assert dict(matrix_signature(cells, items_to_ask(1), AskSettings(), 1).fields)["prompts"] == "inputs"
