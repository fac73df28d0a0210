"""Trust in the addresses that files of a project name: stored outside of the project.

A project's file, a panel of judges and a study may come from somebody else. So nothing is sent to an address
that such a file names, and no variable of the environment is read for it, before the user has trusted the
address *together with* the variable, for the files of that folder.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from semscale.errors import InputError
from semscale.input_files import configuration_file
from semscale.json_reading import parse_json

_LOOPBACK = re.compile(r"https?://(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(/[\w./~-]*)?", re.ASCII)


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


def check_trusted(content: str, recipient: Recipient, file: Path) -> None:
    """Check that the user trusts an address of a file.

    Args:
        content: kind of content that is sent, such as prompts.
        recipient: the address.
        file: the file that names it.

    Raises:
        InputError: it is not trusted; nothing may be sent there.
    """
    if not is_trusted(recipient, file):
        raise InputError(
            f"{content} would be sent {recipient}, which {file} names and you do not trust yet: "
            f"check the address, then run {_trust_command(file)}"
        )


def is_trusted(recipient: Recipient, file: Path) -> bool:
    """Return whether the user trusts an address of a file.

    Raises:
        InputError: the file with the trusted addresses cannot be read.
    """
    entry = TrustedRecipient(folder_of(file), recipient.address, recipient.variable)
    return recipient.is_harmless or entry in read_trusted_recipients()


def read_trusted_recipients() -> list[TrustedRecipient]:
    """Read the addresses that the user trusts.

    Raises:
        InputError: the file with them cannot be read.
    """
    path = trust_file()
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


def folder_of(file: Path) -> str:
    """Return the folder for whose files an address is trusted."""
    return str(file.resolve().parent)


def trust_file() -> Path:
    """Return the path of the file with the trusted addresses."""
    return configuration_file("trusted.json")


def _trust_command(file: Path) -> str:
    return f"semscale config trust{'' if file.suffix == '.toml' else f' {file}'}"
