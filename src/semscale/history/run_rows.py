"""Conversion between runs or approvals and database rows."""

from collections.abc import Sequence

from semscale.errors import InputError
from semscale.history.column_values import Found, Row, aware, plain
from semscale.history.item_json import digest_bodies, dump_item, load_item
from semscale.history.runs import Approval, Run
from semscale.history.summaries import RunSummary


def run_rows(run: Run) -> tuple[Row, list[Row]]:
    """Convert a run into its row and the rows of its items."""
    items: list[Row] = [
        {"run_id": run.id, "position": position, "body": dump_item(item)}
        for position, item in enumerate(run.items)
    ]
    texts = plain(
        id=run.id,
        dataset=run.dataset,
        model=run.model,
        signature=str(run.signature),
        revision=run.revision,
        rerun_of=run.rerun_of,
        note=run.note,
    )
    recorded = aware("recorded", run.recorded)
    digest = digest_bodies(str(item["body"]) for item in items)
    return {**texts, "recorded": recorded, "n_items": len(items), "digest": digest}, items


def read_run(found: Found, bodies: Sequence[str]) -> Run:
    """Build a run from its row and the JSON of its items.

    Raises:
        InputError: the items were changed since they were recorded.
    """
    if digest_bodies(bodies) != found["digest"]:
        raise InputError(
            f"run {found['id']!r} is not what was recorded: its {len(bodies)} items have another digest, so "
            "somebody changed the database; take the run from a copy"
        )
    return Run(
        dataset=found["dataset"],
        model=found["model"],
        items=tuple(load_item(body) for body in bodies),
        id=found["id"],
        recorded=found["recorded"],
        rerun_of=found["rerun_of"],
        revision=found["revision"],
        note=found["note"],
    )


def read_summary(found: Found) -> RunSummary:
    """Build a run's summary from its row."""
    return RunSummary(**{name: found[name] for name in RunSummary.__dataclass_fields__})


def approval_row(approval: Approval) -> Row:
    """Convert an approval into its row.

    Raises:
        InputError: it expires before it was given.
    """
    texts = plain(
        id=approval.id,
        run_id=approval.run_id,
        dataset=approval.dataset,
        approved_by=approval.by,
        reason=approval.why,
    )
    approved = aware("approved", approval.approved)
    expires = None if approval.expires is None else aware("expires", approval.expires)
    if expires is not None and expires <= approved:
        raise InputError(
            f"expires must be later than the approval, {approved.isoformat()}, got {expires.isoformat()}"
        )
    return {**texts, "approved": approved, "expires": expires}


def read_approval(found: Found) -> Approval:
    """Build an approval from its row."""
    return Approval(
        run_id=found["run_id"],
        dataset=found["dataset"],
        by=found["approved_by"],
        why=found["reason"],
        approved=found["approved"],
        expires=found["expires"],
        id=found["id"],
    )
