"""Options in groups: one parameter of a command for each field of a dataclass."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from semscale.cli.options.groups import grouped, instead, without


@dataclass(frozen=True)
class Place:
    town: Annotated[str, typer.Option("--town")] = "Ulm"
    street: Annotated[str, typer.Option("--street")] = "Main"


@dataclass(frozen=True, kw_only=True)
class Person:
    name: Annotated[str, typer.Argument()]
    age: Annotated[int, typer.Option("--age")] = 30
    home: Place


@dataclass(frozen=True)
class Island(Place):
    sea: Annotated[str, typer.Option("--sea")] = "North"


def called_with(hint, *arguments):
    """Call a command that takes one group; return the group it gets, or what went wrong."""
    got, app = [], typer.Typer()

    def command(person: hint) -> None:
        got.append(person)

    app.command()(grouped(command))
    ended = CliRunner().invoke(app, list(arguments))
    return got[0] if got else ended.output


def test_fields_become_options_in_their_order_and_the_values_become_groups():
    def command(person: Person, quiet: Annotated[bool, typer.Option("--quiet")] = False):
        """Say hello."""

    flat = grouped(command)
    names = ["person_name", "person_age", "person_home_town", "person_home_street", "quiet"]
    assert list(inspect.signature(flat).parameters) == names
    assert (flat.__name__, flat.__doc__) == ("command", "Say hello.")
    assert called_with(Person, "Ann", "--town", "Rome") == Person(
        name="Ann", age=30, home=Place("Rome", "Main")
    )


def test_an_option_without_a_default_is_required():
    assert "Missing argument" in called_with(Person)


def test_an_option_without_a_name_has_that_of_its_field():
    @dataclass(frozen=True)
    class Size:
        in_feet: Annotated[int, typer.Option()] = 1
        is_round: Annotated[bool, typer.Option()] = False

    assert called_with(Size, "--in-feet", "4", "--is-round") == Size(4, True)
    assert "No such option" in called_with(Size, "--no-is-round")


def test_a_command_can_leave_options_out_and_they_keep_their_defaults():
    hint = Annotated[Person, without("age")]
    assert called_with(hint, "Ann").age == 30
    assert "No such option" in called_with(hint, "Ann", "--age", "7")


def test_a_command_can_declare_an_option_otherwise():
    hint = Annotated[Person, instead(age=typer.Option("--years"))]
    assert called_with(hint, "Ann", "--years", "7").age == 7
    assert "No such option" in called_with(hint, "Ann", "--age", "7")


def test_a_command_can_put_another_group_in_the_place_of_an_inner_one():
    hint = Annotated[Person, instead(home=Annotated[Island, without("street")])]
    assert called_with(hint, "Ann", "--sea", "Baltic").home == Island("Ulm", "Main", "Baltic")
    assert "No such option" in called_with(hint, "Ann", "--street", "Side")


def test_changes_of_one_group_add_up_and_the_last_one_counts():
    alias = Annotated[Person, instead(age=typer.Option("--years"))]
    assert called_with(Annotated[alias, without("age")], "Ann").age == 30
    later = Annotated[alias, instead(age=typer.Option("--winters"))]
    assert called_with(later, "Ann", "--winters", "7").age == 7


def test_a_change_of_a_field_that_is_not_there_is_refused_at_once():
    def command(person: Annotated[Person, without("agee")]):
        pass

    with pytest.raises(TypeError, match="Person has no option agee"):
        grouped(command)
