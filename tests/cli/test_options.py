"""Options from settings classes: names, values, groups, messages, and the two forms of the help."""

from typing import Annotated, Literal

import pytest
from cyclopts import App
from pydantic import Field

from semscale.cli.options import As, Without, command, option_arguments, refuse_stated
from semscale.errors import InputError
from semscale.settings import Option, Settings


class Home(Settings):
    town: Annotated[str, Field(description="Town."), Option("Home", "NAME")] = "Ulm"
    street: Annotated[str, Field(description="Street."), Option("Home", rare=True)] = "Main"


class Person(Settings):
    name: Annotated[str, Field(description="Name."), Option("Person", "NAME", positional=True)]
    years: Annotated[int, Field(ge=0, description="Years."), Option("Person", name="--age")] = 30
    home: Home
    colours: Annotated[tuple[str, ...], Field(description="Colours."), Option("Person", name="--colour")] = ()
    span: Annotated[tuple[float, float] | None, Field(description="Span."), Option("Person")] = None
    size: Annotated[Literal["small", "large"], Field(description="Size."), Option("Person")] = "small"
    quiet: Annotated[bool, Field(description="Say nothing."), Option("Person")] = False
    open: Annotated[bool, Field(description="Stay closed."), Option("Person")] = True


def called_with(kind, *arguments):
    """Call a command that takes settings; return the settings it gets."""
    got = []

    def function(options: kind) -> None:
        got.append(options)

    app = App(name="toy", result_action="return_value")
    app.default(command(function))
    app(list(arguments), exit_on_error=False, print_error=False)
    return got[0]


def test_fields_of_groups_become_options_and_values_become_settings():
    person = called_with(
        Person,
        *("Ann", "--age", "40", "--town", "Rome", "--colour", "red", "--colour", "blue"),
        *("--span", "-4", "4", "--size", "large", "--quiet", "--no-open"),
    )
    assert person == Person(
        name="Ann",
        years=40,
        home=Home(town="Rome"),
        colours=("red", "blue"),
        span=(-4, 4),
        size="large",
        quiet=True,
        open=False,
    )
    assert called_with(Person, "Ann").home == Home()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--age", "-1"], "--age must be >= 0, got -1"),
        (["--age", "old"], "--age must be a whole number, got 'old'"),
        (["--size", "larg"], "--size must be small or large, got 'larg'; did you mean 'large'?"),
        (["--span", "1", "x"], "--span must be a number, got 'x'"),
    ],
)
def test_an_option_refuses_a_value_with_the_message_of_the_settings(arguments, message):
    with pytest.raises(InputError) as caught:
        called_with(Person, "Ann", *arguments)
    assert str(caught.value) == message


def test_a_command_can_leave_options_of_a_group_out_and_they_keep_their_defaults():
    class Visitor(Settings):
        home: Annotated[Home, Without("street")]

    assert called_with(Visitor, "--town", "Rome").home.street == "Main"
    with pytest.raises(Exception, match="--street"):
        called_with(Visitor, "--street", "High")

    class Lost(Settings):
        home: Annotated[Home, Without("stret")]

    with pytest.raises(TypeError, match="Home has no option stret"):
        called_with(Lost)


def test_a_command_can_leave_out_an_option_of_a_group_within_a_group():
    class Flat(Settings):
        home: Home

    class Guest(Settings):
        flat: Annotated[Flat, Without("street")]

    assert called_with(Guest, "--town", "Rome").flat.home == Home(town="Rome")
    with pytest.raises(Exception, match="--street"):
        called_with(Guest, "--street", "High")


def test_a_message_names_the_option_of_the_setting_whose_group_it_states():
    class Sender(Settings):
        address: Annotated[str, Field(description="From."), Option("Mail", name="--from")] = "a"

    class Receiver(Settings):
        address: Annotated[str, Field(description="To."), Option("Mail", name="--to")] = "b"

    class Letter(Settings):
        sender: Sender = Sender()
        receiver: Receiver = Receiver()

    def send(options: Letter) -> None:
        raise InputError(
            "sender:address", "must differ from `receiver:address`; `stranger:address` is unknown"
        )

    app = App(name="mail", result_action="return_value")
    app.default(command(send))
    with pytest.raises(InputError) as caught:
        app([], exit_on_error=False, print_error=False)
    assert str(caught.value) == "--from must differ from --to; address is unknown"


def test_a_setting_can_use_the_option_of_a_different_class():
    class Shop(Settings):
        town: Annotated[str | None, As(Home, "town")] = None

    assert called_with(Shop).town is None
    assert called_with(Shop, "--town", "Rome").town == "Rome"


def test_options_are_refused_if_their_required_option_is_missing():
    person = called_with(Person, "Ann", "--age", "30", "--town", "Rome", "--colour", "red")
    refuse_stated("a tax return", person, but=("home", "name", "colours"))  # 30 is the default
    with pytest.raises(InputError, match=r"^--town belongs to --away, which is not given$"):
        refuse_stated("--away, which is not given", person.home)
    with pytest.raises(InputError, match=r"^--town and --colour belong to a tax return$"):
        refuse_stated("a tax return", person, but=("name",))


def test_options_of_a_command_are_written_as_arguments_for_another_command():
    person = called_with(
        Person, "Ann", "--no-open", "--span", "1", "2", "--colour", "red", "--colour", "blue"
    )
    arguments = ["--colour", "red", "--colour", "blue", "--span", "1.0", "2.0", "--no-open"]
    assert option_arguments(person, but=("name",)) == arguments


def test_help_shows_common_options_and_help_all_the_rest(semscale):
    brief, whole = semscale("rate", "--help").out, semscale("rate", "--help-all").out
    assert "--scale" in brief
    assert "--epsilon" not in brief
    assert "more options: semscale rate --help-all" in brief
    assert "--epsilon" in whole
    assert "--set" in whole
    assert "--epsilon" not in semscale("rate", "--help").out


def test_an_option_is_refused_the_second_time(semscale):
    ended = semscale("rate", "x.csv", "--scale", "trust", "--where", "a", "--where=b")
    assert ended.err.startswith("semscale: --where is given twice; it takes one value")
