"""Trust in the addresses that files of a project name: asked for once, stored outside of the project.

A project's file, a panel of judges and a study may come from somebody else. So nothing is sent to an address
that such a file names, and no variable of the environment is read for it, before the user has trusted the
address *together with* the variable, for the files of that folder.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from semscale.cli.options import command
from semscale.cli.process import echo, say
from semscale.cli.project_file import FILE, SERVERS, ProjectSettings
from semscale.endpoints import KEY_VARIABLE, OPENAI
from semscale.errors import InputError
from semscale.input_files import configuration_file
from semscale.json_reading import parse_json
from semscale.settings import Option, Settings

_LOOPBACK = re.compile(r"https?://(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(/[\w./~-]*)?", re.ASCII)
DATABASE_PASSWORD = "PGPASSWORD"
"""Environment variable with the password that a database gets if its address has none."""


@dataclass(frozen=True)
class Recipient:
    """An address that a file names, and what is sent there beside the content.

    Attributes:
        address: URL of an endpoint or a database.
        variable: environment variable with the key or password that is sent; ``None`` for none.
    """

    address: str
    variable: str | None = None

    @property
    def is_harmless(self) -> bool:
        """True for an endpoint on this machine that gets no key: nothing leaves the machine."""
        return self.variable is None and _LOOPBACK.fullmatch(self.address) is not None

    def __str__(self) -> str:
        # Escaped, so that neither a look-alike letter nor a command to the terminal hides where texts go.
        variable, address = (ascii(text or "")[1:-1] for text in (self.variable, self.address))
        return f"{f'with the value of {variable}' if variable else 'without a key'} to {address}"


@dataclass(frozen=True)
class TrustedRecipient:
    """A recipient that the user trusts, for the files of a folder.

    Attributes:
        folder: folder of the files that name it.
        address: see :class:`Recipient`.
        variable: see :class:`Recipient`.
    """

    folder: str
    address: str
    variable: str | None


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
    trusted, folder = read_trusted_recipients(), _folder_of(file)
    for recipient in listed:
        entry = TrustedRecipient(folder, recipient.address, recipient.variable)
        if recipient.is_harmless or entry in trusted:
            continue
        if not (asks and _agrees(content, recipient, file)):
            raise InputError(
                f"{content} would be sent {recipient}, which {file} names and you do not trust yet: "
                f"check the address, then run {_trust_command(file)}"
            )
        trusted.append(entry)
        _store(trusted)
    for recipient in listed:
        say(f"note: {content} are sent {recipient}, which {file} names")


def read_trusted_recipients() -> list[TrustedRecipient]:
    """Read the addresses that the user trusts.

    Raises:
        InputError: the file with them cannot be read.
    """
    path = _path()
    try:
        entries = parse_json(path.read_text(encoding="utf-8"))
        return [TrustedRecipient(**entry) for entry in entries]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            f"{path} cannot be read ({error}): remove it, and trust the addresses again"
        ) from None


def recipients_in(document: object) -> Iterator[Recipient]:
    """Yield the addresses in a panel of judges or a study: each ``base_url``, with its ``key_variable``."""
    if isinstance(document, Mapping):
        if document.get("base_url"):
            variable = document.get("key_variable")
            yield Recipient(str(document["base_url"]), None if variable is None else str(variable))
        for value in document.values():
            yield from recipients_in(value)
    elif isinstance(document, list):
        for value in document:
            yield from recipients_in(value)


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
    folder = _folder_of(file)
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


def _folder_of(file: Path) -> str:
    return str(file.resolve().parent)


def _trust_command(file: Path) -> str:
    return f"semscale config trust{'' if file.suffix == '.toml' else f' {file}'}"


def _agrees(content: str, recipient: Recipient, file: Path) -> bool:
    """Ask in a terminal; anywhere else nobody can agree."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    say(f"{file} names a new address: {content} would be sent {recipient}")
    sys.stderr.write(f"semscale: trust it in files of {_folder_of(file)}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in {"y", "yes"}


def _path() -> Path:
    return configuration_file("trusted.json")


def _store(entries: Iterable[TrustedRecipient]) -> None:
    from semscale.store.atomic import create_private_folder, replacing

    path = _path()
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
