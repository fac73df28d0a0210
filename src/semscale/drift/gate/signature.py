"""Signature of a decision: settings of measurement and gate."""

from collections.abc import Iterable, Mapping

from semscale.drift.gate.settings import GateSettings
from semscale.drift.limits.kinds import limits_in_force
from semscale.drift.limits.slices import each_slice
from semscale.history.runs import hashed
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan

_RESERVED = set("|:")


def gate_signature(measured: Signature, settings: GateSettings, nights: str | None = None) -> Signature:
    """Extend the signature of a measurement by the gate's settings; every field occurs once.

    Args:
        measured: signature of the measurement.
        settings: settings of the gate.
        nights: number and hash of the earlier nights that the noise was estimated from; ``None`` without any.

    Example:
        >>> line = str(gate_signature(Signature.of("drift", seed=7), GateSettings(by=("topic",))))
        >>> [part for part in line.split("|") if "seed" in part or "by" in part]
        ['seed:7', 'by:topic', 'gate_seed:0']
    """
    fields = {
        "metrics": None if settings.metrics is None else _listed(settings.metrics),
        "by": _listed(settings.by) if settings.by else None,
        "alpha": settings.alpha,
        "correction": settings.correction,
        "material_share": settings.material_share,
        "noise_share": settings.noise_share,
        "material": _limits(settings.material),
        "thresholds": _limits(settings.thresholds),
        "limits": _limits(limits_in_force(settings.limits)),
        "lost_share": settings.lost_share,
        "must_pass": hashed(list(settings.must_pass)) if settings.must_pass else None,
        "slices": _slices(settings),
        "fields": _listed(f"{name}={way}" for name, way in sorted(settings.fields.items())) or None,
        "noise_history": nights,
        "over_runs": settings.over_runs,
        "undecided": settings.undecided,
        "interval": settings.interval,
        "replicates": settings.replicates,
        "seed": settings.seed,
    }
    return _extended(measured, fields, "gate")


def measured_signature(measured: Signature, plan: IntervalPlan) -> Signature:
    """Extend the signature of a measurement without a gate by how intervals were made.

    Example:
        >>> str(measured_signature(Signature.of("drift", seed=7), IntervalPlan())).partition("|drift|")[2]
        'seed:7|interval:0.95|replicates:2000|interval_seed:0'
    """
    fields = {"interval": plan.interval, "replicates": plan.replicates, "seed": plan.seed}
    return _extended(measured, fields, "interval")


def _extended(measured: Signature, fields: Mapping[str, object], prefix: str) -> Signature:
    """Append fields; one whose name is taken gets a prefix."""
    taken = {name for name, _ in measured.fields}
    own = {f"{prefix}_{name}" if name in taken else name: value for name, value in fields.items()}
    return measured.extended(Signature.of(prefix, **own))


def _limits(limits: Mapping[str, float]) -> str | None:
    return _listed(f"{name}={limit:.12g}" for name, limit in sorted(limits.items())) if limits else None


def _slices(settings: GateSettings) -> str | None:
    """Count and hash the slices, as their names and settings are many."""
    slices = {"/".join(group): own.model_dump() for group, own in each_slice(settings.slices)}
    return f"{len(slices)}#{hashed(sorted(slices.items()))}" if slices else None


def _listed(names: Iterable[str]) -> str:
    """Join names into one line; return their hash if they contain characters that a signature reserves."""
    text = ",".join(names)
    return hashed(text) if _RESERVED & set(text) else text
