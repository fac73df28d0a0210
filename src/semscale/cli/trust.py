"""Trust in the addresses that files of a project name: asked for once in a terminal."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from pydantic import Field

from semscale.cli.options import command
from semscale.cli.process import echo, say
from semscale.cli.project_file import FILE, SERVERS, ProjectSettings
from semscale.endpoints import KEY_VARIABLE, OPENAI
from semscale.errors import InputError
from semscale.settings import Option, Settings
from semscale.trust import (
    Recipient,
    TrustedRecipient,
    check_trusted,
    folder_of,
    is_trusted,
    read_trusted_recipients,
    recipients_in,
    trust_file,
)

DATABASE_PASSWORD = "PGPASSWORD"
"""Environment variable with the password that a database gets if its address has none."""


def require_trust(content: str, recipients: Iterable[Recipient], file: Path, *, asks: bool = True) -> None:
    """Ask for trust in the addresses of a file that are new, and announce what is sent to all of them.

    In a terminal, the user is asked; the answer is stored.

    Args:
        content: kind of content that is sent, such as prompts.
        recipients: the addresses that the file names.
        file: the file.
        asks: whether the user may be asked.

    Raises:
        InputError: an address is not trusted; nothing may be sent to any of them.
    """
    listed = list(dict.fromkeys(recipients))
    for recipient in listed:
        if asks and not is_trusted(recipient, file) and _agrees(content, recipient, file):
            entry = TrustedRecipient(folder_of(file), recipient.address, recipient.variable)
            _store([*read_trusted_recipients(), entry])
        check_trusted(content, recipient, file)
    for recipient in listed:
        say(f"note: {content} are sent {recipient}, which {file} names")


def recipients_of_project(project: ProjectSettings) -> Iterator[Recipient]:
    """Yield the addresses to which the settings of a project's file lead."""
    values = project.values
    for url, variable in (("chat-url", "chat-key-variable"), ("embedder-url", "embedder-key-variable")):
        if values.get(url):
            yield Recipient(str(values[url]), values.get(variable) or None)
    if values.get("engine") == "api" and not values.get("embedder-url"):
        yield usual_endpoint()
    for name in ("ledger", "history"):
        if str(values.get(name, "")).startswith(SERVERS):
            yield Recipient(str(values[name]), DATABASE_PASSWORD)


def usual_endpoint() -> Recipient:
    """Return the endpoint that is used if none is named, with its key."""
    return Recipient(os.environ.get("OPENAI_BASE_URL") or OPENAI, KEY_VARIABLE)


class TrustOptions(Settings):
    """All options of ``semscale config trust``."""

    file: Annotated[
        Path | None,
        Field(description="Project's file, panel of judges or study (default: the project's file)."),
        Option("Arguments", "[FILE]", positional=True),
    ] = None
    list_: Annotated[
        bool, Field(description="List all trusted addresses; change nothing."), Option("Trust", name="--list")
    ] = False
    remove: Annotated[
        bool, Field(description="Trust no address of the file's folder any more."), Option("Trust")
    ] = False


@command
def trust(options: TrustOptions, project: ProjectSettings) -> None:
    """Trust the addresses that a file names, each with the environment variable whose value is sent there.

    [bold]semscale config trust[/bold]

    Semscale sends nothing to an address of a project's file, a panel or a study before you trust it, for
    files in that folder. Read the printed addresses: they get your texts and the values of the variables.
    """
    trusted = read_trusted_recipients()
    if options.list_:
        for entry in trusted:
            echo(f"files of {entry.folder} may send {Recipient(entry.address, entry.variable)}")
        return
    file = options.file or project.file
    if file is None:
        raise InputError(f"there is no {FILE} in this folder or above: name a file, such as panel.yaml")
    folder = folder_of(file)
    if options.remove:
        _store([entry for entry in trusted if entry.folder != folder])
        echo(f"files of {folder} may send to no address")
        return
    recipients = _recipients(file, project)
    for recipient in recipients:
        echo(f"files of {folder} may send {recipient}")
    if not recipients:
        echo(f"{file} names no address")
    entries = [TrustedRecipient(folder, recipient.address, recipient.variable) for recipient in recipients]
    _store(list(dict.fromkeys([*trusted, *entries])))


def _recipients(file: Path, project: ProjectSettings) -> list[Recipient]:
    """List the addresses that a file names.

    Raises:
        InputError: it cannot be read.
    """
    if project.file is not None and file.resolve() == project.file.resolve():
        return list(dict.fromkeys(recipients_of_project(project)))
    if file.suffix == ".toml":
        raise InputError(f"{file} is not the file of this project: run the command in the folder of {file}")
    from semscale.yaml_reading import YamlFile

    keys = YamlFile.read(file, "file").keys("a panel of judges or a study")
    return list(dict.fromkeys(recipients_in(keys)))


def _agrees(content: str, recipient: Recipient, file: Path) -> bool:
    """Ask in a terminal; anywhere else nobody can agree."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    say(f"{file} names a new address: {content} would be sent {recipient}")
    sys.stderr.write(f"semscale: trust it in files of {folder_of(file)}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in {"y", "yes"}


def _store(entries: Iterable[TrustedRecipient]) -> None:
    from semscale.store.atomic import create_private_folder, replacing

    path = trust_file()
    content = json.dumps([asdict(entry) for entry in entries], ensure_ascii=False, indent=1)
    try:
        create_private_folder(path.parent)
        with replacing(path.resolve(), private=True) as temporary:
            temporary.write_text(f"{content}\n", encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{path} cannot be written ({error.strerror or error}), so no address can be trusted: name the "
            "address on the command line"
        ) from None
