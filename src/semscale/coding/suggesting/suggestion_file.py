"""The file of a proposed codebook, with the size and stability of each code as comments."""

from pathlib import Path

import yaml

from semscale.coding.codebook import Code, CodeFrame
from semscale.coding.suggesting.suggestion import SuggestionSummary
from semscale.store.atomic import replacing


def suggested_codebook(summary: SuggestionSummary) -> CodeFrame:
    """Make a codebook of a proposal.

    Raises:
        InputError: two codes share an example.
    """
    codes = (Code(code.name, code.definition, code.examples) for code in summary.codes)
    return CodeFrame(_book_name(summary), tuple(codes))


def suggestion_yaml(summary: SuggestionSummary) -> str:
    """Write a proposal as YAML that ``load_codebook`` reads."""
    lines = [
        f"# Proposed from clusters of {_of(summary)} different answers: {summary.n_stable} of "
        f"{len(summary.codes)} come back when half of the",
        "# answers are left out. Read the examples, rename, join and part codes before you use them.",
        _dumped({"name": _book_name(summary)}),
        "codes:",
    ]
    for code in summary.codes:
        state = "stable" if code.is_stable else "NOT STABLE: it may be chance"
        lines.append(
            f"  # {code.n:,} answers ({100 * code.share:.0f} %), {state} (Jaccard {code.shown_jaccard:.2f})"
        )
        entry = {"name": code.name, "definition": code.definition, "examples": list(code.examples)}
        lines += [f"  {line}" for line in _dumped([entry]).splitlines()]
    return "\n".join(lines) + "\n"


def write_suggestion(summary: SuggestionSummary, path: Path) -> None:
    """Write a proposal to a file."""
    with replacing(path) as temporary:
        temporary.write_text(suggestion_yaml(summary), encoding="utf-8", newline="\n")


def _of(summary: SuggestionSummary) -> str:
    if not summary.is_sampled:
        return f"{summary.n_distinct:,}"
    return f"{summary.n_clustered:,} of {summary.n_distinct:,}"


def _book_name(summary: SuggestionSummary) -> str:
    return f"{Path(summary.source).stem or 'answers'}-{summary.column}"


def _dumped(content: object) -> str:
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100).rstrip("\n")
