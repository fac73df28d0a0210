"""Loading of scales by name, from the library that ships with Semscale, or from a user's YAML file."""

from importlib import resources
from pathlib import Path

from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.scales.reading import parse_scale
from semscale.scales.scale import Scale

_SUFFIXES = (".yaml", ".yml")


def scale_names() -> list[str]:
    """List the names of the scales that ship with Semscale, sorted.

    Example:
        >>> "purchase-intent" in scale_names()
        True
    """
    folder = resources.files("semscale.scales")
    return sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".yaml"))


def load_scale(name_or_path: str | Path | Scale) -> Scale:
    """Load a scale by its name in the library, or from a YAML file.

    Args:
        name_or_path: A name from ``scale_names()``; a path (a ``Path``, or a text that ends in ``.yaml`` or
            ``.yml`` or contains a folder); or a ``Scale``, which is returned unchanged.

    Raises:
        UnknownNameError: no scale of that name ships with Semscale; the message has the nearest name.
        InputError: the file cannot be read, or is no valid scale.

    Example:
        >>> load_scale("recommendation").n_points
        11
    """
    if isinstance(name_or_path, Scale):
        return name_or_path
    if not isinstance(name_or_path, str | Path):
        raise InputError(
            f"scale must be a name such as 'purchase-intent', a YAML file or a Scale, got {name_or_path!r}"
        )
    path = Path(name_or_path)
    if isinstance(name_or_path, Path) or path.suffix.lower() in _SUFFIXES or len(path.parts) > 1:
        return parse_scale(_read(path), source=str(path))
    if name_or_path not in scale_names():
        raise unknown_name("scale", name_or_path, scale_names())
    file = resources.files("semscale.scales") / f"{name_or_path}.yaml"
    return parse_scale(file.read_bytes(), source=name_or_path)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"scale file {str(path)!r} cannot be read: {error.strerror or error}") from None
