"""Signatures of finished parts, with a secret of this user, so that no part of somebody else is used."""

import hashlib
import hmac
import os
import secrets
import warnings
from functools import cache
from pathlib import Path

from filelock import FileLock

from semscale.errors import InputError
from semscale.input_files import configuration_file
from semscale.store.atomic import create_private_folder, replacing

VARIABLE = "SEMSCALE_PARTS_KEY"
"""Environment variable with a secret that several machines or users share, so that each continues runs of
the others."""

_BYTES = 32
_SHORTEST = 16  # characters of a shared secret


class PartsKeyWarning(UserWarning):
    """Warning that a stopped run cannot be continued, as this user's secret cannot be stored."""


def part_signature(content: bytes) -> str:
    """Return the signature of the record of a part, in hex digits.

    Args:
        content: the settings of the run, and the record.

    Raises:
        InputError: the secret cannot be read, or the one in ``SEMSCALE_PARTS_KEY`` is too short.

    References:
        Hugo Krawczyk, Mihir Bellare and Ran Canetti, HMAC: keyed-hashing for message authentication,
        RFC 2104, 1997.
    """
    return hmac.new(_secret(), content, hashlib.sha256).hexdigest()


def is_signed(content: bytes, signature: object) -> bool:
    """Return whether a signature is that of this user, or of one with the same shared secret.

    Raises:
        InputError: as ``part_signature``.
    """
    return isinstance(signature, str) and hmac.compare_digest(
        signature.encode(), part_signature(content).encode()
    )


def _secret() -> bytes:
    shared = os.environ.get(VARIABLE)
    if shared is None:
        return _stored_secret(configuration_file("parts.key"))
    if len(shared) < _SHORTEST:
        raise InputError(f"{VARIABLE} must have at least {_SHORTEST} characters, got {len(shared)}")
    return shared.encode()


@cache
def _stored_secret(path: Path) -> bytes:
    """Read the secret of this user; the first time, create it."""
    try:
        create_private_folder(path.parent)
        with FileLock(path.with_suffix(".lock")):
            if not path.exists():
                with replacing(path.resolve(), private=True) as temporary:
                    temporary.write_text(secrets.token_hex(_BYTES), encoding="ascii")
        secret = path.read_bytes()
    except OSError as error:
        warnings.warn(
            f"{path} cannot be used ({error.strerror or error}), so a stopped run cannot be continued; set "
            f"{VARIABLE} to a secret text",
            PartsKeyWarning,
            stacklevel=2,
        )
        return secrets.token_bytes(_BYTES)
    if len(secret) != 2 * _BYTES:
        raise InputError(f"{path} is damaged; remove it, and start unfinished runs again with `restart`")
    return secret
