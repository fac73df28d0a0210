"""Languages of the two texts of a pair: where guards look, and where single words can be compared."""

from semscale.embedding.languages.identification import identifier_name
from semscale.embedding.languages.language_names import ENGLISH
from semscale.embedding.languages.text_language import language_of
from semscale.guards.registry import Guards, Mode
from semscale.signature import Signature
from semscale.weights.model_lookup import languages_read


def guards_read(prediction: str, reference: str) -> bool:
    """Tell whether guards look at a pair: they read English, and texts whose language is not clear.

    Example:
        >>> guards_read("It is safe.", "It is not safe."), guards_read("Das ist sicher.", "It is not safe.")
        (True, False)
    """
    return all(language_of(text) in {None, ENGLISH} for text in (prediction, reference))


def with_identifier(signature: Signature) -> Signature:
    """Add what identifies languages to the settings of something that depends on them, unless it is there.

    Example:
        >>> named = with_identifier(with_identifier(Signature.of("match")))
        >>> [(name, value.partition("-")[0]) for name, value in named.fields]
        [('language', 'any+py3langid')]
    """
    if "language" in dict(signature.fields):
        return signature
    return signature.extended(Signature.of("language", language=f"any+{identifier_name()}"))


def with_guards(signature: Signature, guards: Guards) -> Signature:
    """Add guards to the settings of a match, and what identifies the languages in which they look.

    Example:
        >>> from semscale.guards.registry import GUARDS
        >>> off = Guards(dict.fromkeys(GUARDS, "off"))
        >>> dict(with_guards(Signature.of("match"), off).fields)
        {'findings': 'none'}
    """
    signed = signature.extended(guards.signature)
    looking = any(mode is not Mode.OFF for mode in guards.modes.values())
    return with_identifier(signed) if looking else with_read_languages(signed)


def with_read_languages(signature: Signature) -> Signature:
    """Add what identifies languages where it is known which ones the model reads: others have no score."""
    return with_identifier(signature) if languages_read(signature) else signature


def are_across(prediction: str, reference: str, languages: frozenset[str]) -> bool:
    """Tell whether two texts are in different languages, both of which the model reads.

    Their words have no equals then, and only the texts as wholes can be compared.

    Args:
        prediction: one text.
        reference: the other one.
        languages: that the model reads.

    Example:
        >>> are_across("Das ist nicht sicher.", "It is not safe.", frozenset({"de", "en"}))
        True
        >>> are_across("Das ist nicht sicher.", "It is not safe.", frozenset({"en"}))
        False
    """
    if len(languages) <= 1:
        return False
    ours, theirs = language_of(prediction), language_of(reference)
    return ours != theirs and ours in languages and theirs in languages
