"""Which anchors rate the texts of each language: translated ones that passed, or the scale's own."""

import hashlib

from semscale.embedding.languages.identification import identifier_name
from semscale.embedding.languages.language_names import LANGUAGE_NAMES
from semscale.errors import InputError
from semscale.scales import Scale
from semscale.scales.equivalence import equivalences, passed_languages
from semscale.scales.library import in_language, languages_in

AUTO = "auto"


class AnchorLanguages:
    """The anchors of a scale in all languages that they may be taken from.

    Args:
        scale: the scale, with the sets that are used.
        language: ``auto`` for anchors of each text's own language; or an ISO 639-1 code, for anchors of that
            language for all texts. Where a translation has not passed its check, the scale's own serve.

    Attributes:
        language: as given.
        scale: rates texts of all languages that have no anchors of their own.

    Raises:
        InputError: neither ``auto`` nor a language that the scale's anchors are in.
    """

    def __init__(self, scale: Scale, language: str) -> None:
        self.language = language
        self._passed = passed_languages(scale) if language != scale.language else ()
        self._check(scale)
        chosen = language in self._passed
        self.scale = in_language(scale, language) if chosen else scale
        self.own = self._passed if language == AUTO else ()

    @property
    def fell_back(self) -> bool:
        """Whether anchors were asked for that have not passed, so that the scale's own serve."""
        return self.language not in {AUTO, self.scale.language}

    def settings(self) -> dict[str, str]:
        """Name the languages and the anchors' content hash, for the signature."""
        if self.language == AUTO:
            chosen = {"language": f"{AUTO}+{identifier_name()}"}
        else:
            chosen = {"language": self.language}
        if self.own:
            return chosen | {"translations": f"{'+'.join(self.own)}#{self._content_hash()}"}
        return chosen | {"anchor_language": self.scale.language} if self.fell_back else chosen

    def translated(self, code: str) -> Scale:
        """Give the scale with the anchors of one of the languages ``own``."""
        return in_language(self.scale, code)

    def _content_hash(self) -> str:
        """Eight hex digits over the translations' content hashes; the files themselves are not read."""
        measured = equivalences(self.scale.name)
        hashes = "+".join(measured[code].translated for code in self.own)
        return hashlib.sha256(hashes.encode()).hexdigest()[:8]

    def _check(self, scale: Scale) -> None:
        known = [scale.language, *languages_in(scale)]
        if self.language not in {AUTO, *known}:
            listed = ", ".join(["auto", *known])
            name = LANGUAGE_NAMES.get(str(self.language))
            lacking = f"; {scale.name!r} has no anchors in {name}" if name else ""
            raise InputError(f"language must be one of {listed}, got {self.language!r}{lacking}")
