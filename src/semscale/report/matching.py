"""Documents of matching: scores, findings and lowest scores; layers of BERTScore; a scored submission."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from semscale.matching.layered import PRESETS
from semscale.report.chart_kit import ACCENT, CONTRAST, MUTED, NEUTRAL
from semscale.report.document import (
    Citation,
    Count,
    DataTable,
    Document,
    Figure,
    Headline,
    Histogram,
    ItemCard,
    Items,
    Line,
    Number,
    Paragraph,
    Quoted,
    ScoreGroup,
    Section,
    Share,
    Swatch,
    WithInterval,
    estimate_cell,
    marked,
)
from semscale.report.formatting import (
    capitalised,
    count,
    counted,
    coverage,
    ends,
    number,
    one_line,
    percent,
    plain,
    with_interval,
)
from semscale.report.parts import (
    GUARD_MEANINGS,
    Columns,
    altogether,
    by_groups,
    estimated_document,
    group_label,
    group_name,
    group_table,
    guard_legend,
    guard_table,
    headline,
    histogram_caption,
    in_column,
    label_with_base,
    languages_section,
    largest_groups,
    left_out_section,
    listed_groups,
    low_items,
    mean_row,
    nothing_section,
    present,
    score_group,
    section,
    signature_fields,
    small_base_note,
    summary_document,
    table,
    table_of,
    unlisted_note,
)
from semscale.report.row_charts import GROUP, HISTOGRAM, UNRELATED, Bar, DotRow, bars, dots
from semscale.report.sentences import (
    STATUS_MEANINGS,
    interval_methods,
    language_warnings,
    unread_warnings,
)
from semscale.results.reasons import UNREAD
from semscale.stats.sampling import SAMPLED_ROWS
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.matching.bertscore import LayerCalibration
    from semscale.matching.cliniqlink import EvaluationSummary, TaskScore
    from semscale.matching.summary import MatchedItem, MatchSummary

SHOWN_ITEMS = 12
CHARTED_GROUPS = 10
"""Groups that are drawn, the largest ones."""

CLINIQLINK = Citation(
    "ClinIQLink 2025.",
    "Evaluation of answers in words, sentences and paragraphs",
    "Shared task of the BioNLP workshop at ACL 2025",
    "the method",
)
BERTSCORE = Citation(
    "Zhang, T., Kishore, V., Wu, F., Weinberger, K. Q., & Artzi, Y. (2020).",
    "BERTScore: Evaluating text generation with BERT",
    "ICLR 2020, arXiv:1904.09675",
    "the method",
)
SUMMAC = Citation(
    "Laban, P., Schnabel, T., Bennett, P. N., & Hearst, M. A. (2022).",
    "SummaC: Re-visiting NLI-based models for inconsistency detection in summarization",
    "TACL 10, doi:10.1162/tacl_a_00453",
    "sentence by sentence",
)
_CITED = {
    "bertscore": BERTSCORE,
    "entailment": SUMMAC,
    "cliniqlink-doc": CLINIQLINK,
    "cliniqlink-code": CLINIQLINK,
}

MEANINGS = STATUS_MEANINGS | {
    "missing": "no prediction: the cell is empty or null",
    "not-text": "the cell holds a number or something else that is not text of predictions",
    "empty": "the prediction is nothing but white space",
    "no-reference": "no reference holds a text to match with",
    "other-language": "the prediction or the reference is in a language that the model does not read",
    "weightless": f"{UNREAD}; or no token of the texts counts",
}

_FINDINGS_LEAD = (
    "Similarity hardly sees what turns a meaning round. Guards look for it; these are the rows with "
    "findings that score highest."
)
_FIGURES = {"score": "match", "f1": "F1"}
_PARTS = {"findings": "kept after findings", "cut": "share cut off"}
_THIRDS = ("lowest third", "middle third", "highest third")
_THIRD_COLOURS = (CONTRAST, NEUTRAL, ACCENT)
_DIGITS = 3
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_UNRELATED_HIGH = 0.4  # mean of unrelated pairs; with MiniLM that of a layered preset is below .11
_SEEN = 0.005  # cost of a token from which on it changes a score of two digits
_EQUAL = 0.995  # similarity from which on two digits show 1


def match_document(summary: "MatchSummary") -> Document:
    """Turn the scores of matched texts into a document."""
    columns, overall = summary.columns, summary.estimates.overall
    title: Line = "How far predictions say what is expected"
    if columns is not None:
        title = ("How far “", Quoted(columns.prediction), "” says what is expected")
    remarks = {
        "empty": _empty_remark(summary),
        "contradicted": _contradicted_remark(summary),
        "separation": _separation_remark(summary),
        "sampled": _sampled_remark(summary),
    }
    return estimated_document(
        summary,
        kind="matching report",
        name="Match",
        title=title,
        n_windowed=summary.n_windowed,
        source=(f"method {summary.method}",),
        lead=headline(summary.estimates, mean_name(overall.main), summary.bounds),
        warnings=(
            *language_warnings(summary),
            *unread_warnings(summary.counts),
        ),
        reading=[f"{capitalised(remark)}." for remark in remarks.values() if remark],
        facts=(
            *(
                (capitalised(mean_name(name)), mean)
                for name, mean in overall.figures.items()
                if name != overall.main
            ),
            ("With findings", summary.n_flagged) if summary.n_flagged is not None else None,
            ("Contradicted", summary.n_contradicted) if summary.n_contradicted is not None else None,
            ("Across languages", summary.n_across_languages) if summary.n_across_languages else None,
            ("Above unrelated", Share(summary.separation.share)) if summary.separation else None,
        ),
        cautions=_cautions(summary),
        sections=_sections(summary),
        notes=[f"{name}: {remark}" for name, remark in remarks.items() if remark],
        settings=()
        if columns is None
        else (
            ("Predictions", in_column(columns.prediction)),
            *(("References", in_column(column)) for column in columns.reference),
            ("Groups", in_column(columns.by)),
        ),
        citations=(_CITED.get(summary.method),),
    )


def _sections(summary: "MatchSummary") -> Iterator[Section | None]:
    yield _spread(summary) if summary.estimates.overall.n else nothing_section("scores")
    guards = summary.guards
    if summary.flagged:
        yield section(
            "findings",
            "Alike, and yet different",
            guard_table(guards, GUARD_MEANINGS, noun="row", title="Findings"),
            Paragraph(_FINDINGS_LEAD, "lead"),
            _items(summary.flagged[:SHOWN_ITEMS], guards=guard_legend(guards, GUARD_MEANINGS)),
        )
    lowest = summary.lowest[:SHOWN_ITEMS]
    if summary.is_explained:  # whoever requests explanations sees all scores that could be higher
        lowest = tuple(item for item in lowest if item.score < summary.bounds[1])
    else:
        mean = summary.estimates.overall.mean
        lowest = tuple(low_items(lowest, lambda item: item.score, mean, summary.bounds))
    if lowest:
        brief_title = counted(min(len(lowest), Items.most), "lowest score")
        items = _items(lowest, brief_title=brief_title, is_explained=summary.is_explained)
        yield section("worst", "The lowest scores", items)
    yield section("parts", "What the scores are made of", _parts_figure(summary))
    yield languages_section(summary.languages, ("prediction", "reference"))
    yield left_out_section(summary, MEANINGS)


def _spread(summary: "MatchSummary") -> Section | None:
    estimates = summary.estimates
    figures = estimates.overall.figures
    names = {name: mean_name(name) for name in figures}
    names[estimates.overall.main] += f", from {' to '.join(map(plain, summary.bounds))}"
    return section(
        "scores",
        by_groups("How the scores are spread", estimates),
        altogether(((name, figures[figure]) for figure, name in names.items()), estimates.interval),
        _scores_histogram(summary),
        replace(group_table(estimates), detail="brief") if estimates.groups else None,
    )


def _items(items: "Sequence[MatchedItem]", **settings: Any) -> Items:  # noqa: ANN401 - fields of Items
    return Items(tuple(map(_item, items)), heads=("prediction", "reference"), **settings)


def _item(item: "MatchedItem") -> ItemCard:
    findings = item.findings or ()
    texts = {"prediction": item.prediction, "reference": item.reference}
    return ItemCard(
        row=item.row + 1,
        score=Number(item.score),
        labels=() if item.group is None else (Quoted(item.group),),
        texts=tuple(
            (side, marked(text, [(finding.guard, getattr(finding, side)) for finding in findings]))
            for side, text in texts.items()
            if text is not None
        ),
        findings=tuple((finding.guard, one_line(finding.reason)) for finding in findings),
        parts=tuple((_part_name(name), Number(value)) for name, value in _shown_parts(item).items()),
        details=(_details_title(item.tokens), costly_tokens(item.tokens)),
        brief=(Quoted(item.prediction), Quoted(item.reference)),
    )


def calibration_document(calibration: "LayerCalibration") -> Document:
    """Turn the calibration of a model's layers into a document."""
    human, plan = calibration.human, calibration.plan
    drawn = f"{counted(calibration.n_pairs, 'random pair')} of {counted(calibration.n_texts, 'text')}"
    best = []
    if human and plan:
        left_out = f", {human.n_left_out:,} left out" if human.n_left_out else ""
        judged = f"{counted(human.n, 'judged pair')}{left_out}"
        intervals = interval_methods(plan, {"": "bootstrap"}, "judged pairs")
        best = [f"best layer: {human.best_layer} ({judged}); intervals: {intervals}"]
    return Document(
        kind="BERTScore calibration",
        name="BERTScore layers",
        title=("What unrelated texts score at each layer of ", Quoted(calibration.model.split("#")[0])),
        source=(Quoted(calibration.source),),
        signature=calibration.signature,
        counting=(drawn,),
        reading=tuple(f"{capitalised(line)}." for line in (drawn, *best)),
        sections=present(section("layers", "Layer by layer", _layers(calibration))),
        notes=tuple(best),
        settings=signature_fields(calibration.signature),
        citations=(BERTSCORE,),
    )


def _layers(calibration: "LayerCalibration") -> Figure:
    layers = list(enumerate(zip(calibration.baseline, calibration.error, strict=True)))
    spearman = calibration.human.spearman if calibration.human else ()
    rows = [
        [layer, *(Number(float(value), 4) for value in (*means, errors[2]))]
        + [estimate_cell(estimate, _DIGITS) for estimate in spearman[layer : layer + 1]]
        for layer, (means, errors) in layers
    ]
    dot_rows = [
        DotRow(
            f"layer {layer}",
            (float(means[2]), *(estimate.value for estimate in spearman[layer : layer + 1])),
        )
        for layer, (means, _) in layers
    ]
    agreement = ["Spearman with people"] if spearman else []
    legend = [Swatch(MUTED, "F1 of random pairs"), *(Swatch(ACCENT, name) for name in agreement)]
    described = "; ".join(f"{row.name} {', '.join(map(number, row.means))}" for row in dot_rows)
    return Figure(
        "layers",
        lambda width: dots(dot_rows, [swatch.colour for swatch in legend], title="", width=width),
        f"{' and '.join(swatch.label for swatch in legend)}, layer by layer. {described}.",
        table(("layer", "precision", "recall", "F1", "error of F1", *agreement), rows),
        caption="Random pairs have nothing to do with each other: a score says something only above theirs.",
        legend=tuple(legend),
    )


def evaluation_document(summary: "EvaluationSummary") -> Document:
    """Turn the scores of a submission into a document."""
    tasks, interval = summary.tasks, summary.plan.interval
    intervals = interval_methods(summary.plan, {task.task: task.estimate.method for task in tasks}, "items")
    mean = "overall, each task counting the same"
    overall = WithInterval(summary.overall, np.nan, np.nan, _DIGITS)
    counting = "invalid replies count as 0; items whose right answer is not stated are left out"
    return summary_document(
        summary,
        kind="submission report",
        name="Submission",
        title=("How the submission “", Quoted(summary.source), "” scores"),
        lead=None if np.isnan(summary.overall) else Headline(mean, overall, (0.0, 1.0), interval, _TICKS),
        reading=(f"{capitalised(counting)}.",),
        facts=(
            ("Tasks", len(tasks)),
            ("Items", len(summary.items)),
            ("Invalid replies", sum(task.n_invalid for task in tasks)),
            ("Left out", sum(task.estimate.n_left_out for task in tasks)),
        ),
        sections=(
            section(
                "tasks",
                "By task",
                _tasks(tasks, interval),
                Paragraph(f"{mean}: {number(summary.overall, _DIGITS)}", detail="brief"),
            ),
        ),
        notes=(f"intervals: {intervals}", counting),
        settings=(("Intervals", intervals),),
        citations=(CLINIQLINK,),
    )


def _tasks(tasks: "tuple[TaskScore, ...]", interval: float) -> Figure | DataTable:
    """Draw the tasks that have a score above the table of all."""
    further = dict.fromkeys(name for task in tasks for name in task.figures)
    columns: Columns[TaskScore] = (
        ("task", lambda task: Quoted(task.task)),
        ("score", lambda task: estimate_cell(task.estimate, _DIGITS)),
        ("measure", lambda task: task.measure),
        ("items", lambda task: task.estimate.n),
        ("invalid", lambda task: task.n_invalid),
        ("left out", lambda task: task.estimate.n_left_out),
        *(
            (name.replace("_", " "), lambda task, name=name: Number(task.figures.get(name), _DIGITS))
            for name in further
        ),
    )
    by_task = table_of(tasks, columns, title="By task")
    scored = [task for task in tasks if not np.isnan(task.estimate.value)]
    if not scored:
        return by_task
    described = "; ".join(f"{task.task}: {number(task.estimate.value, _DIGITS)}" for task in scored)
    return Figure(
        "tasks",
        lambda width: bars(list(map(_bar, itertools.count(), scored)), [task.task for task in scored], width),
        f"Scores by task. {described}.",
        by_task,
        caption=f"Each task’s score with its {coverage(interval)} interval.",
    )


def _bar(row: int, task: "TaskScore") -> Bar:
    score = task.estimate
    low, high = ends(score.low, score.high)
    return Bar(row, score.value, low, high, with_interval(score, _DIGITS), number(score.value, _DIGITS))


def _scores_histogram(summary: "MatchSummary") -> Histogram:
    """Count the scores: of all rows, of unrelated pairs, then of the largest groups, the best first."""
    estimates, separation, overall = summary.estimates, summary.separation, summary.estimates.overall
    everything = label_with_base("All rows", Count(overall.n))
    groups = [score_group(everything, summary.scores, HISTOGRAM, overall.mean)]
    rows: list[Sequence[Any]] = [mean_row("all rows", overall)]
    if separation:
        n_pairs = Count(len(separation.unrelated))
        groups.append(
            ScoreGroup(label_with_base("Unrelated pairs", n_pairs), separation.unrelated, UNRELATED)
        )
        rows.append(("unrelated pairs", n_pairs, Count(None), float(separation.unrelated.mean())))
    drawable = summary.group_scores
    scored = [group for group in estimates.groups if group.mean and group.group in drawable]
    charted = largest_groups(scored, CHARTED_GROUPS)
    for group in charted:
        name = group_label(group, estimates.by)
        groups.append(score_group(name, drawable[group.group], GROUP, group.mean))
    rows += [mean_row(group_name(group, estimates.by), group) for group in listed_groups(estimates)]
    return Histogram(
        "scores",
        tuple(groups),
        summary.bounds,
        ("score", "rows"),
        table(("", "rows", "left out", "mean"), rows),
        caption=" ".join(filter(None, _caption(summary, len(charted), len(scored)))),
    )


def _caption(summary: "MatchSummary", charted: int, groups: int) -> Iterator[str]:
    yield histogram_caption("rows have which score", summary.estimates)
    if summary.is_sampled:
        yield f"Counted in a random sample of {count(SAMPLED_ROWS)} rows."
    if summary.separation:
        pairs = counted(len(summary.separation.unrelated), "prediction")
        yield (
            f"Unrelated pairs are {pairs} with the references of other rows: "
            f"{percent(summary.separation.share)} of the time a row scores above such a pair."
        )
    if charted < groups:
        yield f"The {charted} largest of {count(groups)} groups are drawn, all are below."
    yield small_base_note(summary.estimates, "row")
    yield unlisted_note(summary.estimates)


def _parts_figure(summary: "MatchSummary") -> Figure | None:
    """Draw each part's mean in rows with low, middling and high scores; ``None`` without parts or rows."""
    if not summary.thirds:
        return None
    parts = {name: means for name, means in summary.thirds.items() if name != "cut"}  # no part of a score
    rows = [DotRow(_part_name(name), means) for name, means in parts.items()]
    described = "; ".join(f"{row.name} {', '.join(map(number, row.means))}" for row in rows)
    return Figure(
        "parts",
        lambda width: dots(rows, _THIRD_COLOURS, width=width),
        f"Mean of each part in the lowest, middle and highest third of rows. {described}.",
        table(("part", *_THIRDS), ((row.name, *row.means) for row in rows), detail="full"),
        caption="Rows are cut into thirds by their score. The further apart a part's dots are, the more it "
        "tells low scores from high ones; a part whose dots lie together hardly decides anything.",
        legend=tuple(Swatch(*pair) for pair in zip(_THIRD_COLOURS, _THIRDS, strict=True)),
    )


def _cautions(summary: "MatchSummary") -> Iterator[str]:
    """Yield the limits of the figures that a reader must know."""
    separation = summary.separation
    if separation is not None and separation.is_weak:
        yield (
            f"These scores hardly tell the pairs from unrelated ones: only {percent(separation.share)} lie "
            "above, and 50 % would by chance. Look at the pairs before trusting the mean, or try another "
            "--method."
        )
    if summary.n_flagged and not summary.weighs_findings:
        yield (
            f"Guards found something in {counted(summary.n_flagged, 'row')}; "
            "this method's scores do not take it into account."
        )
    if summary.n_unguarded:
        yield (
            f"Guards read English alone: they did not look at {counted(summary.n_unguarded, 'row')} in other "
            "languages, where nothing is known of negations, numbers and names."
        )
    if summary.n_by_text_alone:
        yield (
            f"In {counted(summary.n_by_text_alone, 'row')} the texts are in different languages: only the "
            "layer of whole texts counts there, as words have no equals."
        )
    if summary.n_cut:
        yield (
            f"In {counted(summary.n_cut, 'row')} sentences were longer than the model of entailment reads: "
            "their ends were left out."
        )
    mean = float(separation.unrelated.mean()) if separation is not None else 0.0
    if summary.method in PRESETS and mean > _UNRELATED_HIGH:
        yield (
            f"Unrelated pairs score {number(mean)} on average: the constants of {summary.method} were "
            "published for all-MiniLM-L6-v2 and do not fit these vectors. Use --method calibrated."
        )
    fields = dict(summary.signature.fields)
    fitted, model = (fields.get(name, "").partition("#")[0] for name in ("weights", "model"))
    if fields.get("method") == "calibrated" and fitted != model:
        yield (
            f"The weights of calibrated were fitted to {fitted}, not to this model: compare its scores among "
            "themselves only."
        )


def _empty_remark(summary: "MatchSummary") -> str:
    """State how empty predictions count; empty where there are none."""
    if summary.n_empty_as_wrong:
        return f"{counted(summary.n_empty_as_wrong, 'empty prediction')} scored 0, as wrong"
    left_out = sum(summary.counts.get(status, 0) for status in (Status.MISSING, Status.EMPTY))
    if not left_out:
        return ""
    predictions = counted(left_out, "empty prediction")
    return f"{predictions} left out of the mean; match --empty wrong would give them the score 0"


def _contradicted_remark(summary: "MatchSummary") -> str:
    """State in how many rows one text contradicts a sentence of the other; empty without an estimate."""
    if summary.n_contradicted is None:
        return ""
    rows = counted(summary.n_contradicted, "row")
    return f"{rows} with a sentence that the other text contradicts (probability above {number(0.5)})"


def _sampled_remark(summary: "MatchSummary") -> str:
    """State what is counted in a sample; empty where all rows are counted."""
    if not summary.is_sampled:
        return ""
    return (
        f"histograms, thirds and the comparison with unrelated pairs are of a random sample of "
        f"{count(SAMPLED_ROWS)} rows; means and counts are of all rows"
    )


def _separation_remark(summary: "MatchSummary") -> str:
    """Compare the scores with those of unrelated pairs; empty where these are not known."""
    separation = summary.separation
    if separation is None:
        return ""
    mean = number(float(separation.unrelated.mean()))
    pairs = counted(len(separation.unrelated), "such pair")
    return (
        f"a row scores above an unrelated pair {percent(separation.share)} of the time, and half of the time "
        f"by chance ({pairs}, mean {mean})"
    )


def costly_tokens(tokens: pl.DataFrame | None, n: int = 4) -> tuple[str, ...]:
    """Name the tokens that cost a pair most: those with weight whose best counterpart is unlike them.

    Args:
        tokens: as ``semscale.matching.pairs.explained_side`` lays them out.
        n: how many at most.

    Returns:
        Such as ``"wheel" (reference) met only "expel", .42``; nothing without tokens, or where each has its
        equal. Tokens of long texts cost little each: those are named that cost half as much as the first.
    """
    if tokens is None:
        return ()
    costs = tokens.with_columns(cost=pl.col("weight") * (1 - pl.col("similarity")))
    lost = (
        costs.filter(pl.col("similarity") < _EQUAL)
        .filter(pl.col("cost") > pl.min_horizontal(_SEEN, pl.col("cost").max() / 2))
        .sort("cost", descending=True, maintain_order=True)
        .head(n)
    )
    return tuple(map(_cost_in_words, lost.to_dicts()))


def _details_title(tokens: pl.DataFrame | None) -> str:
    """Name what ``costly_tokens`` lists: words, or sentences where entailment was judged."""
    sentences = tokens is not None and "contradiction" in tokens.columns
    return f"{'sentences' if sentences else 'words'} that cost most"


def _cost_in_words(row: Mapping[str, Any]) -> str:
    token, similarity = f'"{row["token"]}" ({row["side"]})', number(row["similarity"])
    if "contradiction" in row:
        if row["contradiction"] > row["similarity"]:
            return f'{token} is contradicted by "{row["matched_token"]}", {number(row["contradiction"])}'
        return f'{token} is entailed only {similarity}, by "{row["matched_token"]}"'
    if row["token"] == row["matched_token"]:
        return f"{token} met itself in another context, {similarity}"
    return f'{token} met only "{row["matched_token"]}", {similarity}'


def _part_name(name: str) -> str:
    """Write the name of a part of a score for readers.

    Example:
        >>> _part_name("findings"), _part_name("context")
        ('kept after findings', 'context')
    """
    return _PARTS.get(name, name.replace("_", " "))


def _shown_parts(item: "MatchedItem") -> dict[str, float]:
    """Return the parts of an item's score by name, without those that do not apply to this item.

    What findings leave of a score is shown where there are findings, and what was cut where something was.
    """
    known = {name: part for name, part in item.components.items() if not math.isnan(part)}
    silent = {"findings" if not item.findings else "", "cut" if not known.get("cut") else ""}
    return {name: part for name, part in known.items() if name not in silent}


def mean_name(figure: str) -> str:
    """Name the mean of a figure that is estimated of matches or BERTScores.

    Example:
        >>> [mean_name(figure) for figure in ("score", "f1", "recall")]
        ['mean match', 'mean F1', 'mean recall']
    """
    return f"mean {_FIGURES.get(figure, figure)}"
