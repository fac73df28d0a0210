"""The signature of a matrix: items, prompts, models and parameters, and what matched and judged."""

from collections.abc import Sequence

from semscale.drift.asking import AskSettings, ItemToAsk
from semscale.drift.matrix.cells import AskedCell
from semscale.history.runs import hashed
from semscale.signature import Signature


def matrix_signature(
    cells: Sequence[AskedCell], items: Sequence[ItemToAsk], settings: AskSettings, times: int
) -> Signature:
    """Name what is asked.

    Args:
        cells: prompts with models.
        items: what is asked about.
        settings: parameters of the requests.
        times: how often each prompt is asked.
    """
    templates = {cell.template.name: cell.template.content_hash for cell in cells if cell.template}
    models = "+".join(dict.fromkeys(cell.model.name for cell in cells))
    prompts = "+".join(f"{name}#{hash_}" for name, hash_ in templates.items()) or "inputs"
    given = {name: value for name, value in settings.given.items() if name != "system"}
    if settings.system is not None:
        given["system"] = f"#{hashed(settings.system)}"
    return Signature.of(
        "drift matrix",
        items=len(items),
        inputs=hashed([(item.id, item.input, item.reference) for item in items]),
        prompts=_shown(prompts),
        models=_shown(models),
        asked=times,
        **given,
    )


def with_part(signature: Signature, name: str, part: Signature | None) -> Signature:
    """Add the fields of a part under its name, such as ``match_model``; ``None`` adds nothing.

    Example:
        >>> found = with_part(Signature.of("drift matrix"), "match", Signature.of("match", model="toy"))
        >>> str(found).split("|")[1:]
        ['drift matrix', 'match_model:toy']
    """
    if part is None:
        return signature
    named = tuple((f"{name}_{field}", value) for field, value in part.fields)
    return Signature(signature.instrument, signature.fields + named, signature.version)


def _shown(names: str) -> str:
    """Replace the characters that a signature keeps for itself, as an endpoint's signature does."""
    return names.replace(":", "@").replace("|", "_")
