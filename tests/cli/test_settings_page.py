"""docs/settings.md is what the settings classes say; an option's name has one meaning in all commands."""

import re

from semscale.cli.describe import settings_page


def test_the_page_is_up_to_date(pytestconfig):
    page = (pytestconfig.rootpath / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page == settings_page(), "python -m semscale.cli.describe docs/settings.md"


def test_every_command_is_on_the_page():
    commands = re.findall(r"^## semscale (.+)$", settings_page(), re.MULTILINE)
    assert commands[:3] == ["demo", "rate", "code"]
    assert {"code suggest", "judge audit", "study compare", "drift gate", "models pull"} <= set(commands)
