"""docs/settings.md is derived from the settings classes and has every option of every command once."""

import re

import pytest

from semscale.cli.main import program
from semscale.cli.project_file import configurable_settings
from settings_page import commands, settings_page

PAGE = settings_page()
SECTIONS = dict(re.findall(r"^##+ (.+)\n([^#]*(?:#[^#]+)*?)(?=^##|\Z)", PAGE, re.MULTILINE))
COMMANDS = dict(commands(program()))


def listed(section: str) -> list[str]:
    """Return the names of the options in a section's own table."""
    return re.findall(r"^\| `(\S+?)(?: [^`]*)?` \|", SECTIONS[section], re.MULTILINE)


def options(command: str) -> list[str]:
    """Return the options that a reader finds for a command: its own, and those of the groups it names."""
    names = listed(command)
    groups = re.search(r"^Groups: (.*)\.$", SECTIONS[command], re.MULTILINE)
    for reference in groups[1].split("; ") if groups else ():
        title, limits = re.fullmatch(r"\[(.+?)\]\(#[\w-]+\)(.*)", reference).groups()
        stated = re.findall(r"`(\S+)`", limits)
        names += stated if "only" in limits else [name for name in listed(title) if name not in stated]
    return names


def test_the_page_is_up_to_date(pytestconfig):
    page = (pytestconfig.rootpath / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page == PAGE, "make settings"


def test_every_command_is_on_the_page():
    names = [name.removeprefix("semscale ") for name in SECTIONS if name.startswith("semscale ")]
    assert names[:3] == ["demo", "rate", "code"]
    assert {"code suggest", "judge audit", "study compare", "drift gate", "models pull"} <= set(names)
    assert len(names) == len(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_finds_every_option_of_a_command_once(command):
    # The options as Cyclopts parses them, which --help-all shows.
    expected = sorted(option.name.replace("|", "/") for option in COMMANDS[command].options)
    assert sorted(options(command)) == expected


def test_every_setting_of_a_project_is_on_the_page():
    keys = re.findall(r"`([a-z-]+)`(?=[, |])", SECTIONS["Settings of a project's file"])
    assert set(keys) >= set(configurable_settings())


def test_no_help_text_is_longer_than_a_line():
    # Two lines of an 80-column terminal beside the option's name.
    options = {option.name: option.description for command in COMMANDS.values() for option in command.options}
    long = {name: text for name, text in options.items() if len(text.split()) > 20 and name != "--limit"}
    assert long == {}


def test_commands_list_their_required_options():
    assert "\nRequired: `--codebook`, `--text`.\n" in SECTIONS["semscale code"]
    assert "Required" not in SECTIONS["semscale columns"]


def test_an_option_that_commands_describe_alike_is_on_the_page_once():
    for name in ("--nli-labels", "--panel", "--note"):
        assert PAGE.count(f"| `{name} ") == 1
        assert name in listed("Common options")
