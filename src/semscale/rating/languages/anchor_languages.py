"""Which anchors rate the texts of each language: translated ones that passed, or the scale's own."""

import hashlib

from semscale.embedding.languages.identification import identifier_name
from semscale.embedding.languages.language_names import LANGUAGE_NAMES
from semscale.errors import InputError
from semscale.scales import Scale
from semscale.scales.equivalence import equivalences
from semscale.scales.library import languages_in, passed_languages, passed_translation
from semscale.signature import Signature

AUTO = "auto"


class AnchorLanguages:
    """The anchors of a scale in all languages that they may be taken from.

    Args:
        scale: the scale, with the sets that are used.
        language: ``None`` for the scale's own anchors; ``auto`` for anchors of each text's own language; or
            an ISO 639-1 code, for anchors of that language for all texts. Where a translation has not passed
            its check with the model, the scale's own serve.
        model: name of the known model that rates; ``None`` for any other one, which no translation serves.

    Attributes:
        language: as given.
        scale: rates texts of all languages that have no anchors of their own.
        untranslated: the scale as given; its anchors tell what is off topic in every language, as those of
            a text's own language are near all texts in it.
    """

    def __init__(self, scale: Scale, language: str | None, model: str | None = None) -> None:
        self.language = language
        self.scale = self.untranslated = scale
        self.own: tuple[str, ...] = ()
        if language == AUTO:
            self.own = passed_languages(scale, model)
        elif language != scale.language and language in passed_languages(scale, model):
            self.scale = passed_translation(scale, str(language))

    @property
    def fell_back(self) -> bool:
        """Whether the scale's own anchors serve in place of those asked for, which have not passed."""
        return not identifies(self.language) and self.language != self.scale.language

    def settings(self) -> dict[str, str]:
        """Name the languages and the anchors' content hash, for the signature."""
        identified = f"{self.language or 'any'}+{identifier_name()}"
        chosen = {"language": identified if identifies(self.language) else str(self.language)}
        if self.own:
            named = "+".join(map(self._named, self.own))
            return chosen | {"translations": f"{named}#{self._content_hash()}"}
        if self.language == AUTO:
            return chosen | {"translations": "none"}
        return chosen | {"anchor_language": self.scale.language} if self.fell_back else chosen

    def translated(self, code: str) -> Scale:
        """Give the scale with the anchors of one of the languages ``own``, and the sets that passed in it."""
        return passed_translation(self.scale, code)

    def _named(self, code: str) -> str:
        """Name a language, and its sets where some of the scale's do not serve in it."""
        sets = equivalences(self.scale.name)[code].serving_sets(self.scale)
        return code if len(sets) == len(self.scale.anchor_sets) else f"{code}({','.join(sets)})"

    def _content_hash(self) -> str:
        """Eight hex digits over the translations' content hashes; the files themselves are not read."""
        measured = equivalences(self.scale.name)
        hashes = "+".join(measured[code].translated for code in self.own)
        return hashlib.sha256(hashes.encode()).hexdigest()[:8]


def identifies(language: str | None) -> bool:
    """Say whether each text's language is identified, rather than known beforehand."""
    return language in {None, AUTO}


def said_language(signature: Signature) -> str | None:
    """Give the language that the user says all texts are in; ``None`` where each one's is identified."""
    language = dict(signature.fields).get("language", "")
    return language if language in LANGUAGE_NAMES else None


def check_language(scale: Scale, language: str | None) -> None:
    """Refuse a language that a scale has no anchors in.

    Raises:
        InputError: neither ``None`` nor ``auto`` nor a language that the scale's anchors are in.
    """
    if identifies(language):
        return
    known = [scale.language, *languages_in(scale)]
    if language not in known:
        listed = ", ".join([AUTO, *known])
        name = LANGUAGE_NAMES.get(str(language))
        lacking = f"; {scale.name!r} has no anchors in {name}" if name else ""
        raise InputError(f"language must be one of {listed}, got {language!r}{lacking}")
