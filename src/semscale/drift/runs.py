"""Matching of the items of two runs, and summaries of recorded, approved and rejected runs."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, Any

from semscale.drift.copied_runs import CopiedRun, without_copies
from semscale.drift.settings import ASKED_FIELDS
from semscale.errors import InputError
from semscale.history.items import Item, Output
from semscale.history.runs import Approval, Rejection, Run, RunSummary, list_names, short_id
from semscale.history.stored_comparison import StoredComparison
from semscale.presentable import Presentable
from semscale.results.languages import language_of
from semscale.signature import Signature
from semscale.weights.known import languages_read

if TYPE_CHECKING:
    from semscale.history.history import History

FEWEST_COMMON = 10
"""Least number of common items for comparing a candidate that lacks some items."""

LEAST_COMMON_SHARE = 0.5
"""Least share of the baseline's items that such a candidate must have."""


@dataclass(frozen=True)
class ItemMatching:
    """Items that a baseline and a candidate share, and items of only one of them.

    Items with the same id and different inputs are different items.

    Attributes:
        common: ids in both with the same input, in the baseline's order; only these are compared.
        lost: ids that only the baseline has.
        new: ids that only the candidate has.
        changed: ids in both, with different inputs.
        moved: pairs of the id of a lost or changed item and the candidate's id with the same input, for
            inputs that occur once per run.
        positions: indices of ``common`` among the baseline's items.
        versions: ``Run.dataset_version`` of the baseline and of the candidate.
    """

    common: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    versions: tuple[str, str] | None = None
    positions: tuple[int, ...] = ()

    @property
    def n_baseline(self) -> int:
        """Number of the baseline's items."""
        return len(self.common) + self.n_left_out

    @property
    def n_left_out(self) -> int:
        """Number of the baseline's items that the candidate lacks or has with another input."""
        return len(self.lost) + len(self.changed)

    def record(self) -> dict[str, Any]:
        """Return everything by name, for JSON."""
        baseline, candidate = self.versions or (None, None)
        return {
            "common": len(self.common),
            "lost": self.lost,
            "new": self.new,
            "changed": self.changed,
            "moved": [{"baseline": before, "candidate": after} for before, after in self.moved],
            "baseline_version": baseline,
            "candidate_version": candidate,
        }


def match_items(baseline: Run, candidate: Run) -> ItemMatching:
    """Match the items of two runs by id and input.

    Raises:
        InputError: only one run has the input of a common item.

    Examples:
        >>> from semscale.history.items import Item
        >>> old = Run("exam", "m1", (Item("a", (), "Why?"), Item("b", (), "How?"), Item("c", (), "Who?")))
        >>> new = Run("exam", "m2", (Item("a", (), "Why?"), Item("b", (), "When?"), Item("d", (), "Who?")))
        >>> items = match_items(old, new)
        >>> items.common, items.lost, items.new, items.changed, items.moved
        (('a',), ('c',), ('d',), ('b',), (('c', 'd'),))
    """
    before, after = ({item.id: item.input for item in run.items} for run in (baseline, candidate))
    both = [name for name in before if name in after]
    one_sided = [name for name in both if (before[name] is None) != (after[name] is None)]
    if one_sided:
        raise InputError(
            "inputs",
            f": only one of the runs has those of {list_names(one_sided)}; record both with inputs, or both "
            "without",
        )
    common = {name: None for name in both if before[name] == after[name]}
    unmatched, offered = (
        _unique({name: text for name, text in inputs.items() if name not in common})
        for inputs in (before, after)
    )
    return ItemMatching(
        common=tuple(common),
        lost=tuple(name for name in before if name not in after),
        new=tuple(name for name in after if name not in before),
        changed=tuple(name for name in both if name not in common),
        moved=tuple((name, offered[text]) for text, name in unmatched.items() if text in offered),
        versions=(baseline.dataset_version, candidate.dataset_version),
        positions=tuple(position for position, name in enumerate(before) if name in common),
    )


def match_runs(baseline: Run, candidate: Run) -> tuple[Run, Run, ItemMatching]:
    """Match a candidate with a baseline; the dataset can have changed in between.

    Args:
        baseline: the approved run.
        candidate: the run to compare.

    Returns:
        The baseline with the common items; the candidate with the same items in the same order; and the
        common items and the others.

    Raises:
        InputError: there are fewer common items than ``FEWEST_COMMON`` or ``LEAST_COMMON_SHARE`` of the
            baseline's items; or the runs differ in dataset or groups, or only one has inputs.
    """
    _check_dataset(baseline, candidate)
    matching = match_items(baseline, candidate)
    if matching.n_left_out:
        _check_enough(matching)
    return (*_with_items(baseline, candidate, matching.common), matching)


def check_comparable(baseline: Run, candidate: Run) -> Run:
    """Check that a run has exactly the items of a baseline.

    Args:
        baseline: the approved run.
        candidate: the run to compare.

    Returns:
        The candidate with its items in the baseline's order.

    Raises:
        InputError: the runs differ in dataset, ids, inputs, groups or signature, or the candidate's outputs
            lack a numeric field.

    Examples:
        >>> from semscale.history.items import Output
        >>> first, second = (Item(name, (Output("Yes."),)) for name in "ab")
        >>> mixed = check_comparable(Run("exam", "m1", (first, second)), Run("exam", "m2", (second, first)))
        >>> [item.id for item in mixed.items]
        ['a', 'b']
    """
    _check_dataset(baseline, candidate)
    matching = match_items(baseline, candidate)
    _check_all_matched(matching)
    ordered = _with_items(baseline, candidate, matching.common)[1]
    _check_fields(baseline, ordered)
    return ordered


def check_rerun(baseline: Run, rerun: Run) -> Run:
    """Check that a rerun can measure random differences of the baseline's outputs.

    Returns:
        The rerun with its items in the baseline's order.

    Raises:
        InputError: as for ``check_comparable``, or the rerun has no texts although the baseline has some.
            With such a rerun, a candidate without texts would seem unchanged.
    """
    ordered = check_comparable(baseline, rerun)
    n_answered = len(baseline.items) - n_silent(baseline)
    if n_answered and n_silent(rerun) == len(rerun.items):
        raise InputError(
            f"rerun {short_id(rerun.id)} has no output in any item, and the baseline has some in "
            f"{n_answered}: such a rerun does not show the noise; ask the model again, and leave this "
            "rerun out"
        )
    return ordered


def copies_among(history: "History", original: Run, reruns: Sequence[Run]) -> tuple[CopiedRun, ...]:
    """Return the reruns that repeat their original or an earlier rerun.

    Args:
        history: history with the earlier reruns.
        original: the run that they repeat.
        reruns: new or stored reruns; each has all items of the original.
    """
    new = {rerun.id for rerun in reruns}
    earlier = [rerun for rerun in history.reruns(original.id) if rerun.id not in new]
    ordered = [check_comparable(original, run) for run in (*earlier, *reruns)]
    return tuple(copy for copy in without_copies(original, ordered)[1] if copy.run in new)


def outputs_equal(left: Run, right: Run) -> bool:
    """Return true if two runs have the same items with identical outputs."""
    return {item.id: item.outputs for item in left.items} == {item.id: item.outputs for item in right.items}


def number_of(output: Output, field: str) -> float:
    """Return an output's number; NaN if it has none."""
    return float(output.fields.get(field, math.nan))


def n_silent(run: Run) -> int:
    """Return the number of items without any output with a text."""
    return sum(not item.outputs_with_text for item in run.items)


def reasoning_notes(run: Run) -> tuple[str, ...]:
    """Return a sentence on the outputs whose reasoning was removed from their text; none without any."""
    outputs = [output for item in run.items for output in item.outputs]
    n = sum(output.reasoning is not None for output in outputs)
    if not n:
        return ()
    n_alone = sum(output.reasoning is not None and output.is_silent for output in outputs)
    alone = f" {n_alone:,} of them have no text after it." * bool(n_alone)
    return (f"{n:,} of {len(outputs):,} outputs have a model's reasoning, which is stored apart.{alone}",)


@dataclass(frozen=True)
class OutputLanguage:
    """Outputs in one language.

    Attributes:
        language: ISO 639-1 code; ``None`` if the language is unclear.
        baseline: number of outputs with a text in the baseline.
        candidate: number of outputs with a text in the candidate.
        read: true if the model reads the language; ``None`` if unknown.
    """

    language: str | None
    baseline: int
    candidate: int
    read: bool | None


def output_languages(baseline: Run, candidate: Run, signature: Signature) -> tuple[OutputLanguage, ...]:
    """Return the numbers of outputs of two runs by language, the most frequent first.

    Outputs with an unclear language come last.

    Args:
        baseline: the approved run.
        candidate: the run that is compared with it.
        signature: signature that names the model.
    """
    before, after = _language_counts(baseline), _language_counts(candidate)
    both, read = before + after, languages_read(signature)
    return tuple(
        OutputLanguage(code, before[code], after[code], code in read if read and code is not None else None)
        for code in sorted(both, key=lambda code: (code is None, -both[code], code or ""))
    )


@dataclass(frozen=True)
class SharedIds:
    """Number of ids that a run shares with an earlier run of its dataset; few shared ids suggest an error.

    Attributes:
        run: id of the earlier run.
        is_baseline: true if that is the baseline; false for the latest run.
        n: number of shared ids.
        n_earlier: number of ids in the earlier run.
    """

    run: str
    is_baseline: bool
    n: int
    n_earlier: int


def count_shared_ids(history: "History", run: Run) -> SharedIds | None:
    """Count the ids that a run shares with the baseline of its dataset, or otherwise with the latest run.

    Args:
        history: history with the earlier runs.
        run: run of the dataset, stored or not.

    Returns:
        The counts; ``None`` if there is no other run, and for a rerun, which has all ids of its original.
    """
    if run.rerun_of is not None or run.dataset not in history.datasets():
        return None
    approvals = history.approvals(run.dataset)
    stored = history.runs(run.dataset)
    originals = [summary.id for summary in stored if summary.id != run.id and summary.rerun_of is None]
    earlier = approvals[-1].run_id if approvals else next(reversed(originals), None)
    if earlier is None or earlier == run.id:
        return None
    ids = {item.id for item in history.run(earlier).items}
    return SharedIds(earlier, bool(approvals), len(ids & {item.id for item in run.items}), len(ids))


@dataclass(frozen=True)
class AskedFacts:
    """Calls, tokens, cost and latency of a run with outputs of a model or a program.

    Attributes:
        prompts: source of the prompts.
        settings: parameters of the requests, by name.
        n_calls: number of calls made now, without those of an earlier, stopped command.
        n_cut: number of replies that were cut at the maximum number of tokens.
        reasons: number of items without an output by reason, over all rounds.
        sums: known ``tokens`` and ``cost`` of all outputs.
        n_known: number of outputs with each of these numbers.
        currency: currency of the cost; ``None`` if no price is known.
        latency: median seconds of a call; ``None`` if unknown.
        left_out: parameters that were left out because the model refused them.
        n_kept: number of answers from an earlier, stopped command.
    """

    prompts: str
    settings: Mapping[str, object]
    n_calls: int
    n_cut: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    sums: Mapping[str, float] = field(default_factory=dict)
    n_known: Mapping[str, int] = field(default_factory=dict)
    currency: str | None = None
    latency: float | None = None
    left_out: tuple[str, ...] = ()
    n_kept: int = 0


@dataclass(frozen=True, repr=False)
class RecordedRun(Presentable):
    """A recorded run.

    Attributes:
        run: the recorded run.
        where: location of the history.
        is_new: true if it was stored now; false if the history already had the same run.
        reruns: further runs of the same model, recorded by the same command.
        asked: calls, tokens and cost, if a model or a program was asked for the outputs.
        shared: ids shared with the dataset's baseline or latest run; ``None`` without one.
        copies: reruns that repeat another run.
        approval: approval of the run, if it became the baseline at once.
        input_notes: how the outputs were read.
    """

    run: Run
    where: str
    is_new: bool = True
    reruns: tuple[Run, ...] = ()
    asked: AskedFacts | None = None
    shared: SharedIds | None = None
    copies: tuple[CopiedRun, ...] = ()
    approval: Approval | None = None
    input_notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        run = self.run
        return f"RecordedRun(model={run.model!r}, dataset={run.dataset!r}, items={len(run.items):,})"

    @property
    def n_outputs(self) -> int:
        """Number of outputs with a text."""
        return sum(len(item.outputs_with_text) for item in self.run.items)

    @property
    def n_silent(self) -> int:
        """Number of items without any output with a text."""
        return n_silent(self.run)

    @property
    def without_number(self) -> dict[str, int]:
        """Number of outputs with a text but without a number, by field; NaN counts as missing."""
        outputs = [output for item in self.run.items for output in item.outputs_with_text]
        return {
            name: sum(math.isnan(number_of(output, name)) for output in outputs) for name in self.run.fields
        }

    @property
    def n_groups(self) -> dict[str, int]:
        """Number of groups of each kind."""
        return {
            kind: len({item.groups[kind] for item in self.run.items if kind in item.groups})
            for kind in self.run.group_kinds
        }

    def record(self) -> dict[str, Any]:
        """Return the counts by name, for JSON."""
        run = self.run
        return {
            "instrument": "drift record",
            **run_record(run),
            "dataset": run.dataset,
            "items": len(run.items),
            "outputs": self.n_outputs,
            "silent": self.n_silent,
            "fields": run.fields,
            "without_number": self.without_number,
            "groups": self.n_groups,
            "rerun_of": run.rerun_of,
            "history": self.where,
            "signature": run.signature,
            "reruns": [rerun.id for rerun in self.reruns],
            "asked": self.asked,
            "shared": self.shared,
            "copied_runs": self.copies,
            "approval": None if self.approval is None else approval_record(self.approval),
        }


@dataclass(frozen=True, repr=False)
class ApprovedBaseline(Presentable):
    """A run that became the baseline of its dataset.

    Attributes:
        run: the baseline.
        approval: name of the approver, reason, and expiry.
        shared: ids shared with the previous baseline; ``None`` if there was none.
        last_gate: last comparison of the run; ``None`` if it was never gated.
        gated_later: comparison of another run that was gated after ``latest`` was recorded.
    """

    run: Run
    approval: Approval
    shared: SharedIds | None = None
    last_gate: StoredComparison | None = None
    gated_later: StoredComparison | None = None

    def __repr__(self) -> str:
        run = self.run
        return f"ApprovedBaseline(model={run.model!r}, dataset={run.dataset!r}, by={self.approval.by!r})"

    @property
    def is_silent(self) -> bool:
        """True if no item has an output, so that no candidate can be worse."""
        return n_silent(self.run) == len(self.run.items)

    def record(self) -> dict[str, Any]:
        """Return the approval by name, for JSON."""
        return {
            "instrument": "drift approve",
            "dataset": self.run.dataset,
            "baseline": run_record(self.run),
            "approval": approval_record(self.approval),
            "shared": self.shared,
            "last_gate": None if self.last_gate is None else self.last_gate.outcome,
        }


@dataclass(frozen=True, repr=False)
class RejectedRun(Presentable):
    """A run that was rejected.

    Attributes:
        run: the run.
        rejection: name of the person, reason, and end of the rejection.
        was_baseline: true if it was the baseline, which the dataset then lacks.
        last_gate: last comparison of the run; ``None`` if it was never gated.
    """

    run: Run
    rejection: Rejection
    was_baseline: bool = False
    last_gate: StoredComparison | None = None

    def __repr__(self) -> str:
        run = self.run
        return f"RejectedRun(model={run.model!r}, dataset={run.dataset!r}, by={self.rejection.by!r})"

    def record(self) -> dict[str, Any]:
        """Return the rejection by name, for JSON."""
        return {
            "instrument": "drift reject",
            "dataset": self.run.dataset,
            "run": run_record(self.run),
            "rejection": rejection_record(self.rejection),
            "was_baseline": self.was_baseline,
            "last_gate": None if self.last_gate is None else self.last_gate.outcome,
        }


def group_record(group: tuple[str, str] | None) -> dict[str, str] | None:
    """Return a group of items by kind and name, for JSON; ``None`` for all items."""
    return None if group is None else {"kind": group[0], "name": group[1]}


def run_record(run: Run | RunSummary) -> dict[str, Any]:
    """Return a run's id, model, time, revision and note, for JSON."""
    return {
        "id": run.id,
        "model": run.model,
        "recorded": run.recorded,
        "revision": run.revision,
        "note": run.note,
    }


def approval_record(approval: Approval) -> dict[str, Any]:
    """Return an approval's run, name, reason, time and expiry, for JSON."""
    return {
        "run": approval.run_id,
        "by": approval.by,
        "why": approval.why,
        "approved": approval.approved,
        "expires": approval.expires,
    }


def rejection_record(rejection: Rejection) -> dict[str, Any]:
    """Return a rejection's run, name, reason, time and end, for JSON."""
    return {
        "run": rejection.run_id,
        "by": rejection.by,
        "why": rejection.why,
        "rejected": rejection.rejected,
        "expires": rejection.expires,
    }


def _unique(inputs: dict[str, str | None]) -> dict[str, str]:
    """Return the ids by input, for inputs that occur once."""
    times = Counter(inputs.values())
    return {text: name for name, text in inputs.items() if text is not None and times[text] == 1}


def _check_dataset(baseline: Run, candidate: Run) -> None:
    if baseline.dataset != candidate.dataset:
        raise InputError(
            "dataset",
            f": the baseline is of {baseline.dataset!r}, the candidate of {candidate.dataset!r}; "
            "runs of one dataset can be compared",
        )


def _with_items(baseline: Run, candidate: Run, ids: Sequence[str]) -> tuple[Run, Run]:
    """Select items of both runs, in the baseline's order, and check that they can be compared."""
    if len(ids) < len(baseline.items):
        selected = set(ids)
        baseline = replace(baseline, items=tuple(item for item in baseline.items if item.id in selected))
    by_id = {item.id: item for item in candidate.items}
    candidate = replace(candidate, items=tuple(by_id[name] for name in ids))
    _check_groups(baseline.items, candidate.items)
    differing = baseline.signature.differences(candidate.signature)
    if differing:
        name, (before, after) = next(iter(differing.items()))
        raise InputError(
            f"{name}: the baseline has {before}, the candidate {after}; record and approve a new baseline"
        )
    return baseline, candidate


def _check_all_matched(matching: ItemMatching) -> None:
    if matching.lost:
        raise InputError(
            "items",
            f": the candidate has no {list_names(matching.lost)}, which the baseline has; record every item, "
            "with no outputs where the model gave none",
        )
    if matching.new:
        raise InputError(
            "items",
            f": the baseline has no {list_names(matching.new)}, which the candidate has; leave them out, or "
            "record every item and approve a new baseline",
        )
    if matching.changed:
        raise InputError(
            "inputs",
            f": the candidate had other inputs in {list_names(matching.changed)}; use the same inputs, or "
            "record and approve a new baseline",
        )


def _check_enough(matching: ItemMatching) -> None:
    """Refuse a candidate with too few of the baseline's items."""
    n, common = matching.n_baseline, len(matching.common)
    least = max(FEWEST_COMMON, ceil(LEAST_COMMON_SHARE * n))
    if common >= least:
        return
    if len(matching.moved) >= LEAST_COMMON_SHARE * n:
        before, after = matching.moved[0]
        raise InputError(
            "items",
            f": the dataset was renumbered: {len(matching.moved)} of the baseline's {n} inputs are in "
            f"the candidate under another id, such as {before!r} under {after!r}; give the items their "
            "former ids, or approve a baseline with the new ones",
        )
    reasons = []
    if matching.lost:
        reasons.append(f"the candidate has no {list_names(matching.lost)}")
    if matching.changed:
        reasons.append(f"the candidate had other inputs in {list_names(matching.changed)}")
    nothing = "" if common else "nothing matches: "
    raise InputError(
        "items",
        f": {nothing}{common} of the baseline's {n} can be compared, and at least {min(least, n)} are "
        f"needed: {' and '.join(reasons)}; record every item, with no outputs where the model gave none, or "
        "approve a new baseline",
    )


def _check_groups(before: tuple[Item, ...], after: tuple[Item, ...]) -> None:
    for item, other in zip(before, after, strict=True):
        for kind in {**item.groups, **other.groups}:
            names = item.groups.get(kind), other.groups.get(kind)
            if names[0] != names[1]:
                shown = ["none" if name is None else repr(name) for name in names]
                raise InputError(
                    "groups",
                    f": {item.id!r} has {kind} {shown[0]} in the baseline and {shown[1]} in the "
                    "candidate; record both with the same groups",
                )


def _check_fields(baseline: Run, candidate: Run) -> None:
    # Tokens, cost and latency can be missing, as a price can be unknown and a file states no latency.
    lacking = [name for name in baseline.fields if name not in (*candidate.fields, *ASKED_FIELDS)]
    if lacking and any(item.outputs_with_text for item in candidate.items):
        raise InputError(
            "fields",
            f": the candidate has no {list_names(lacking)}, which the baseline has; record its outputs with "
            f"{'them' if len(lacking) > 1 else 'it'}, or a baseline without",
        )


def _language_counts(run: Run) -> Counter[str | None]:
    return Counter(language_of(output.text or "") for item in run.items for output in item.outputs_with_text)
