"""Signatures: one line with all settings that reproduce a number, like sacreBLEU's."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from semscale.errors import InputError
from semscale.version import __version__

_RESERVED = "|:"


@dataclass(frozen=True)
class Signature:
    """Settings that were really applied, in the order of their application.

    Examples:
        >>> signature = Signature.of("rate", scale="quality#1f2e3d4c", temperature=1.0)
        >>> str(signature).split("|")[1:]
        ['rate', 'scale:quality#1f2e3d4c', 'temperature:1']
    """

    instrument: str
    fields: tuple[tuple[str, str], ...] = ()
    version: str = __version__

    @classmethod
    def of(cls, instrument: str, /, **settings: object) -> Self:
        """Build a signature from settings; floats lose a trailing ``.0``, and ``None`` becomes ``none``."""
        return cls(instrument, tuple((name, _format_value(value)) for name, value in settings.items()))

    @classmethod
    def parse(cls, line: str) -> Self:
        """Parse a signature from its line.

        Raises:
            InputError: the line is not a signature.

        Examples:
            >>> signature = Signature.of("rate", seed=1)
            >>> Signature.parse(str(signature)) == signature
            True
        """
        head, *parts = line.split("|")
        product, _, version = head.partition(" ")
        fields = tuple((name, value) for name, _, value in (part.partition(":") for part in parts[1:]))
        if product != "semscale" or not version or not parts or not all(":" in part for part in parts[1:]):
            raise InputError(
                "signature", f"must read semscale VERSION|INSTRUMENT|name:value, got {line!r:.60}"
            )
        return cls(parts[0], fields, version)

    def plus(self, other: "Signature") -> "Signature":
        """Return the signature with the settings of a part, such as an embedder, appended."""
        return Signature(self.instrument, self.fields + other.fields, self.version)

    def with_settings(self, prefix: str, settings: Mapping[str, object]) -> "Signature":
        """Return the signature with further settings; a setting whose name exists already gets a prefix.

        Examples:
            >>> Signature.of("judge", seed="default").with_settings("estimate", {"seed": 0, "n": 3}).fields
            (('seed', 'default'), ('estimate_seed', '0'), ('n', '3'))
        """
        known = dict(self.fields)
        renamed = {f"{prefix}_{name}" if name in known else name: value for name, value in settings.items()}
        return self.plus(Signature.of(prefix, **renamed))

    def with_values(self, settings: Mapping[str, object]) -> "Signature":
        """Return the signature with other values of some fields; a field that it lacks is not added.

        Examples:
            >>> Signature.of("judge", seed=1).with_values({"seed": "default", "samples": 2}).fields
            (('seed', 'default'),)
        """
        fields = tuple(
            (name, _format_value(settings[name]) if name in settings else value)
            for name, value in self.fields
        )
        return Signature(self.instrument, fields, self.version)

    def differences(self, other: "Signature") -> dict[str, tuple[str | None, str | None]]:
        """Return the fields in which two signatures differ, with both values; ``None`` for a missing one.

        Examples:
            >>> a, b = Signature.of("rate", seed=1), Signature.of("rate", seed=2)
            >>> a.differences(b)
            {'seed': ('1', '2')}
        """
        left, right = self._all_fields(), other._all_fields()
        return {
            name: (left.get(name), right.get(name))
            for name in [*left, *(name for name in right if name not in left)]
            if left.get(name) != right.get(name)
        }

    def _all_fields(self) -> dict[str, str]:
        return {"version": self.version, "instrument": self.instrument, **dict(self.fields)}

    @property
    def digest(self) -> str:
        """Hash of the line, 12 hexadecimal digits; equal settings have equal hashes."""
        return hashlib.sha256(str(self).encode("utf-8", "surrogatepass")).hexdigest()[:12]

    def __str__(self) -> str:
        settings = [f"{name}:{value}" for name, value in self.fields]
        return "|".join([f"semscale {self.version}", self.instrument, *settings])


def _format_value(value: object) -> str:
    text = {None: "none", True: "yes", False: "no"}.get(value) if isinstance(value, bool | None) else None
    if text is None:
        text = f"{value:.12g}" if isinstance(value, float) else str(value)
    for character in _RESERVED:
        if character in text:
            raise InputError(f"a signature's values must not contain {character!r}, got {text!r}")
    return text
