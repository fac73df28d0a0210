"""Version of Semscale, and the commands that install and upgrade packages."""

__version__ = "0.1.0"

ON_INDEX = False
"""Whether Semscale is on the package index. The first release sets it; a test lists the pages to change."""


def install_command(requirement: str) -> str:
    """Return the command that installs a package, or an extra of Semscale.

    With this command pip and uv leave the installed Semscale (even a checkout) as it is, and add only the
    packages of the extra.

    Args:
        requirement: a package in pip's form, with extras in brackets.

    Examples:
        >>> install_command("semscale[api]")
        'pip install "semscale[api]"'
        >>> install_command("gcsfs")
        'pip install gcsfs'
    """
    # Double quotes work in every shell, on Windows too.
    return f'pip install "{requirement}"' if "[" in requirement else f"pip install {requirement}"


def upgrade_advice() -> str:
    """Return the remedy for a file that a later version of Semscale wrote."""
    return "pip install --upgrade semscale" if ON_INDEX else "install the latest version from its repository"
