"""Parsing of scales from YAML."""

from semscale.errors import InputError
from semscale.messages import shortened
from semscale.scales.scale import Scale
from semscale.yaml_reading import parse_yaml


def parse_scale(content: bytes, *, source: str) -> Scale:
    """Parse a scale from the bytes of a YAML file.

    Args:
        content: The file, UTF-8.
        source: The file's name in messages.

    Raises:
        InputError: it is not UTF-8, not YAML (the message names the line), or no valid scale.

    Example:
        >>> parse_scale(b"name: [", source="mine.yaml")
        Traceback (most recent call last):
        semscale.errors.InputError: 'mine.yaml', line 1: not readable as YAML: expected the node content...
    """
    fields = parse_yaml(content, source=source)
    if not isinstance(fields, dict):
        raise InputError(
            f"{source!r} must hold the keys of a scale (name, points, ...), got {shortened(fields)}"
        )
    named = {str(key): value for key, value in fields.items()}
    try:
        return Scale(**named)
    except InputError as error:
        raise InputError(f"{source!r}: {error}") from None
