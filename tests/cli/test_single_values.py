"""An option with one value is refused the second time; what may be repeated, and switches, are not."""

import pytest
import typer

from semscale.cli.single_values import CommandGroup

app = CommandGroup()


@app.command()
def count(text: str = "a", code: list[str] | None = None, shout: bool = False) -> None:
    """Say what was given."""
    typer.echo(f"{text} {code} {shout}")


@pytest.mark.parametrize("arguments", [["--text", "b", "--text", "c"], ["--text=b", "--shout", "--text=b"]])
def test_a_second_value_is_refused(arguments):
    with pytest.raises(Exception, match="^--text is given twice; it takes one value$"):
        app(arguments, standalone_mode=False)


def test_a_list_and_a_switch_may_be_repeated(capsys):
    app(["--code", "x", "--code", "y", "--shout", "--shout"], standalone_mode=False)
    assert capsys.readouterr().out == "a ['x', 'y'] True\n"
