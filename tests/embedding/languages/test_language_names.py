import re

from semscale.embedding.languages import LANGUAGE_NAMES, _identifier

# Spoken by few, and often found in texts of a related language.
UNNAMED = {"an", "ba", "dz", "fo", "vo"}


def test_every_language_with_an_iso_639_1_code_that_can_be_found_has_a_name():
    short = {code for code in _identifier().nb_classes if re.fullmatch("[a-z]{2}", code)}
    assert short - set(LANGUAGE_NAMES) == UNNAMED


def test_codes_and_names_are_unique():
    assert all(re.fullmatch("[a-z]{2}", code) for code in LANGUAGE_NAMES)
    assert len(set(LANGUAGE_NAMES.values())) == len(LANGUAGE_NAMES)
