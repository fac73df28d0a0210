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
    Block,
    Cell,
    Citation,
    Count,
    DataTable,
    Document,
    Figure,
    Headline,
    Histogram,
    ItemCard,
    Items,
    Label,
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
    altogether,
    estimated_document,
    estimated_settings,
    group_label,
    group_name,
    group_table,
    guard_legend,
    guard_table,
    headline,
    histogram_caption,
    label_with_base,
    languages_section,
    largest_groups,
    left_out_section,
    listed_groups,
    low_items,
    mean_row,
    nothing_section,
    present,
    run_settings,
    score_group,
    signature_fields,
    small_base_note,
    unlisted_note,
)
from semscale.report.row_charts import GROUP, HISTOGRAM, UNRELATED, Bar, DotRow, bars, dots
from semscale.report.sentences import (
    STATUS_MEANINGS,
    interval_methods,
    language_warnings,
    unread_warnings,
)
from semscale.results.result import UNREAD
from semscale.stats.sampling import SAMPLED_ROWS
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.matching.bertscore import LayerCalibration
    from semscale.matching.cliniqlink import EvaluationSummary, TaskScore
    from semscale.matching.summary import MatchedItem, MatchSummary


SHOWN_ITEMS = 12


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


def match_document(summary: "MatchSummary") -> Document:
    """Turn the scores of matched texts into a document."""
    base = estimated_document(
        summary, kind="matching report", name="Match", title=_title(summary), n_windowed=summary.n_windowed
    )
    known = {
        "empty": empty_words(summary),
        "contradicted": contradicted_words(summary),
        "separation": separation_words(summary),
        "sampled": sampled_words(summary),
    }
    said = {name: words for name, words in known.items() if words}
    return replace(
        base,
        source=(*base.source, f"method {summary.method}"),
        lead=headline(summary.estimates, mean_name(summary.estimates.overall.main), summary.bounds),
        warnings=(
            *language_warnings(summary),
            *unread_warnings(summary.counts),
        ),
        reading=(*base.reading, *(f"{capitalised(words)}." for words in said.values())),
        facts=(*base.facts, *_facts(summary)),
        cautions=(*base.cautions, *cautions(summary)),
        sections=tuple(_sections(summary)),
        notes=(*base.notes, *(f"{name}: {words}" for name, words in said.items())),
        settings=estimated_settings(summary, _columns(summary)),
        citations=(_CITED[summary.method],) if summary.method in _CITED else (),
    )


def _title(summary: "MatchSummary") -> Line:
    if summary.columns is None:
        return "How far predictions say what is expected"
    return ("How far “", Quoted(summary.columns.prediction), "” says what is expected")


def _facts(summary: "MatchSummary") -> Iterator[tuple[str, Cell]]:
    overall = summary.estimates.overall
    for name, mean in overall.figures.items():
        if name != overall.main:
            yield capitalised(mean_name(name)), estimate_cell(mean)
    if summary.n_flagged is not None:
        yield "With findings", Count(summary.n_flagged)
    if summary.n_contradicted is not None:
        yield "Contradicted", Count(summary.n_contradicted)
    if summary.n_across_languages:
        yield "Across languages", Count(summary.n_across_languages)
    if summary.separation:
        yield "Above unrelated", Share(summary.separation.share)


def _columns(summary: "MatchSummary") -> list[tuple[str, str | None]]:
    columns = summary.columns
    if columns is None:
        return []
    references = [("References", column) for column in columns.reference]
    return [("Predictions", columns.prediction), *references, ("Groups", columns.by)]


def _sections(summary: "MatchSummary") -> Iterator[Section]:
    if summary.estimates.overall.n:
        yield _spread(summary)
    else:
        yield nothing_section("scores")
    if summary.flagged:
        yield _findings(summary)
    if worst := _worst(summary):
        lowest = counted(min(len(worst), Items.most), "lowest score")
        items = _items(worst, brief_title=lowest, is_explained=summary.is_explained)
        yield Section("worst", "The lowest scores", (items,))
    if parts := parts_figure(summary):
        yield Section("parts", "What the scores are made of", (parts,))
    yield from present(
        languages_section(summary.languages, ("prediction", "reference")), left_out_section(summary, MEANINGS)
    )


def _spread(summary: "MatchSummary") -> Section:
    estimates = summary.estimates
    figures = estimates.overall.figures
    names = {name: mean_name(name) for name in figures}
    names[estimates.overall.main] += f", from {' to '.join(map(plain, summary.bounds))}"
    means = [(name, estimate_cell(figures[figure])) for figure, name in names.items()]
    blocks: list[Block] = [altogether(means, estimates.interval), scores_histogram(summary)]
    title: Line = "How the scores are spread"
    if estimates.groups:
        blocks.append(replace(group_table(estimates, noun="row"), detail="brief"))
        title = (f"{title}, by ", Quoted(estimates.by or "group"))
    return Section("scores", title, tuple(blocks))


def _findings(summary: "MatchSummary") -> Section:
    lead = (
        "Similarity hardly sees what turns a meaning round. Guards look for it; these are the rows with "
        "findings that score highest."
    )
    blocks = (
        guard_table(summary.guards, GUARD_MEANINGS, noun="row", title="Findings"),
        Paragraph(lead, "lead"),
        _items(summary.flagged[:SHOWN_ITEMS], guards=guard_legend(summary.guards, GUARD_MEANINGS)),
    )
    return Section("findings", "Alike, and yet different", blocks)


def _worst(summary: "MatchSummary") -> "list[MatchedItem]":
    """Give the items with low scores; whoever asks for explanations gets all that could be higher."""
    worst, (_, greatest) = summary.lowest[:SHOWN_ITEMS], summary.bounds
    if summary.is_explained:
        return [item for item in worst if item.score < greatest]
    return low_items(worst, lambda item: item.score, summary.estimates.overall.mean, summary.bounds)


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
            (side, marked(text, [(found.guard, getattr(found, side)) for found in findings]))
            for side, text in texts.items()
            if text is not None
        ),
        findings=tuple((found.guard, one_line(found.reason)) for found in findings),
        parts=tuple((part_name(name), Number(value)) for name, value in shown_parts(item).items()),
        details=(details_title(item.tokens), costly_tokens(item.tokens)),
        brief=(Quoted(item.prediction), Quoted(item.reference)),
    )


_DIGITS = 3


_DIGITS = 3


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
        reading=tuple(f"{capitalised(said)}." for said in (drawn, *best)),
        sections=(Section("layers", "Layer by layer", (_layers(calibration),)),),
        notes=tuple(best),
        settings=signature_fields(calibration.signature),
        citations=(BERTSCORE,),
    )


def _layers(calibration: "LayerCalibration") -> Figure:
    human = calibration.human
    rows: list[tuple[Cell, ...]] = []
    drawn: list[DotRow] = []
    for layer, (means, errors) in enumerate(zip(calibration.baseline, calibration.error, strict=True)):
        agreement = [human.spearman[layer]] if human else []
        figures = [Number(float(value), 4) for value in (*means, errors[2])]
        rows.append((Count(layer), *figures, *(estimate_cell(one, _DIGITS) for one in agreement)))
        drawn.append(DotRow(f"layer {layer}", (float(means[2]), *(one.value for one in agreement))))
    agrees = ["Spearman with people"] if human else []
    legend = [Swatch(MUTED, "F1 of random pairs"), Swatch(ACCENT, "Spearman with people")][: 1 + len(agrees)]
    described = "; ".join(f"{row.name} {', '.join(map(number, row.means))}" for row in drawn)
    return Figure(
        "layers",
        lambda width: dots(drawn, [one.colour for one in legend], title="", width=width),
        f"{' and '.join(one.label for one in legend)}, layer by layer. {described}.",
        DataTable(("layer", "precision", "recall", "F1", "error of F1", *agrees), tuple(rows)),
        caption="Random pairs have nothing to do with each other: a score says something only above theirs.",
        legend=tuple(legend),
    )


_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def evaluation_document(summary: "EvaluationSummary") -> Document:
    """Turn the scores of a submission into a document."""
    tasks, interval = summary.tasks, summary.plan.interval
    intervals = interval_methods(summary.plan, {task.task: task.estimate.method for task in tasks}, "items")
    mean = "overall, each task counting the same"
    overall = WithInterval(summary.overall, np.nan, np.nan, _DIGITS)
    counting = "invalid replies count as 0; items whose right answer is not stated are left out"
    return Document(
        kind="submission report",
        name="Submission",
        title=("How the submission “", Quoted(summary.source), "” scores"),
        source=(Quoted(summary.source), f"{summary.created:%Y-%m-%d}"),
        signature=summary.signature,
        lead=None if np.isnan(summary.overall) else Headline(mean, overall, (0.0, 1.0), interval, _TICKS),
        reading=(f"{capitalised(counting)}.",),
        facts=(
            ("Tasks", Count(len(tasks))),
            ("Items", Count(len(summary.items))),
            ("Invalid replies", Count(sum(task.n_invalid for task in tasks))),
            ("Left out", Count(sum(task.estimate.n_left_out for task in tasks))),
        ),
        sections=(
            Section(
                "tasks",
                "By task",
                (
                    _tasks(tasks, interval),
                    Paragraph(f"{mean}: {number(summary.overall, _DIGITS)}", detail="brief"),
                ),
            ),
        ),
        notes=(f"intervals: {intervals}", counting),
        settings=run_settings(summary.source, summary.created, [("Intervals", intervals)], summary.signature),
        citations=(CLINIQLINK,),
    )


def _tasks(tasks: "tuple[TaskScore, ...]", interval: float) -> Figure | DataTable:
    """Draw the tasks that have a score above the table of all."""
    further = list(dict.fromkeys(name for task in tasks for name in task.figures))
    columns = ("task", "score", "measure", "items", "invalid", "left out", *further)
    rows = tuple(_task_row(task, further) for task in tasks)
    table = DataTable(tuple(name.replace("_", " ") for name in columns), rows, title="By task")
    scored = [task for task in tasks if not np.isnan(task.estimate.value)]
    if not scored:
        return table
    described = "; ".join(f"{task.task}: {number(task.estimate.value, _DIGITS)}" for task in scored)
    return Figure(
        "tasks",
        lambda width: bars(list(map(_bar, itertools.count(), scored)), [task.task for task in scored], width),
        f"Scores by task. {described}.",
        table,
        caption=f"Each task’s score with its {coverage(interval)} interval.",
    )


def _task_row(task: "TaskScore", further: list[str]) -> tuple[Cell, ...]:
    estimate = task.estimate
    return (
        Quoted(task.task),
        estimate_cell(estimate, _DIGITS),
        Label(task.measure),
        Count(estimate.n),
        Count(task.n_invalid),
        Count(estimate.n_left_out),
        *(Number(task.figures.get(name), _DIGITS) for name in further),
    )


def _bar(row: int, task: "TaskScore") -> Bar:
    score = task.estimate
    low, high = ends(score.low, score.high)
    return Bar(row, score.value, low, high, with_interval(score, _DIGITS), number(score.value, _DIGITS))


CHARTED_GROUPS = 10
"""Groups that are drawn, the largest ones."""


_THIRDS = ("lowest third", "middle third", "highest third")


_THIRD_COLOURS = (CONTRAST, NEUTRAL, ACCENT)


def scores_histogram(summary: "MatchSummary") -> Histogram:
    """Count the scores: of all rows, of unrelated pairs, then of the largest groups, the best first."""
    estimates, separation, overall = summary.estimates, summary.separation, summary.estimates.overall
    everything = label_with_base("All rows", Count(overall.n))
    groups = [score_group(everything, summary.scores, HISTOGRAM, overall.mean)]
    rows = [mean_row(Label("all rows"), overall)]
    if separation:
        pairs = label_with_base("Unrelated pairs", Count(len(separation.unrelated)))
        groups.append(ScoreGroup(pairs, separation.unrelated, UNRELATED))
        mean = Number(float(separation.unrelated.mean()))
        rows.append((Label("unrelated pairs"), Count(len(separation.unrelated)), Count(None), mean))
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
        DataTable(("", "rows", "left out", "mean"), tuple(rows)),
        caption=_caption(summary, len(charted), len(scored)),
    )


def parts_figure(summary: "MatchSummary") -> Figure | None:
    """Draw each part's mean in rows with low, middling and high scores; ``None`` without parts or rows."""
    if not summary.thirds:
        return None
    told = {name: means for name, means in summary.thirds.items() if name != "cut"}  # no part of a score
    drawn = [DotRow(part_name(name), means) for name, means in told.items()]
    described = "; ".join(f"{row.name} {', '.join(map(number, row.means))}" for row in drawn)
    return Figure(
        "parts",
        lambda width: dots(drawn, _THIRD_COLOURS, width=width),
        f"Mean of each part in the lowest, middle and highest third of rows. {described}.",
        DataTable(
            ("part", *_THIRDS),
            tuple((Label(row.name), *map(Number, row.means)) for row in drawn),
            detail="full",
        ),
        caption="Rows are cut into thirds by their score. The further apart a part's dots are, the more it "
        "tells low scores from high ones; a part whose dots lie together hardly decides anything.",
        legend=tuple(Swatch(*pair) for pair in zip(_THIRD_COLOURS, _THIRDS, strict=True)),
    )


def _caption(summary: "MatchSummary", charted: int, groups: int) -> str:
    said = histogram_caption("rows have which score", summary.estimates)
    if summary.is_sampled:
        said += f" Counted in a random sample of {count(SAMPLED_ROWS)} rows."
    if summary.separation:
        pairs = counted(len(summary.separation.unrelated), "prediction")
        said += (
            f" Unrelated pairs are {pairs} with the references of other rows: "
            f"{percent(summary.separation.share)} of the time a row scores above such a pair."
        )
    if charted < groups:
        said += f" The {charted} largest of {count(groups)} groups are drawn, all are below."
    notes = (small_base_note(summary.estimates, "row"), unlisted_note(summary.estimates))
    return " ".join([said, *filter(None, notes)])


MEANINGS = STATUS_MEANINGS | {
    "missing": "no prediction: the cell is empty or null",
    "not-text": "the cell holds a number or something else that is not text of predictions",
    "empty": "the prediction is nothing but white space",
    "no-reference": "no reference holds a text to match with",
    "other-language": "the prediction or the reference is in a language that the model does not read",
    "weightless": f"{UNREAD}; or no token of the texts counts",
}


def cautions(summary: "MatchSummary") -> tuple[str, ...]:
    """List the limits of the figures that a reader must know; empty where there are none."""
    said = []
    separation = summary.separation
    if separation is not None and separation.is_weak:
        said.append(
            f"These scores hardly tell the pairs from unrelated ones: only {percent(separation.share)} lie "
            "above, and 50 % would by chance. Look at the pairs before trusting the mean, or try another "
            "--method."
        )
    if summary.n_flagged and not summary.weighs_findings:
        said.append(
            f"Guards found something in {counted(summary.n_flagged, 'row')}; "
            "this method's scores do not take it into account."
        )
    if summary.n_unguarded:
        said.append(
            f"Guards read English alone: they did not look at {counted(summary.n_unguarded, 'row')} in other "
            "languages, where nothing is known of negations, numbers and names."
        )
    if summary.n_by_text_alone:
        said.append(
            f"In {counted(summary.n_by_text_alone, 'row')} the texts are in different languages: only the "
            "layer of whole texts counts there, as words have no equals."
        )
    if summary.n_cut:
        said.append(
            f"In {counted(summary.n_cut, 'row')} sentences were longer than the model of entailment reads: "
            "their ends were left out."
        )
    if misfit := _misfit_words(summary):
        said.append(misfit)
    if other := _fitted_to_another(summary):
        said.append(
            f"The weights of calibrated were fitted to {other}, not to this model: compare its scores among "
            "themselves only."
        )
    return tuple(said)


def _misfit_words(summary: "MatchSummary") -> str | None:
    """Say that a layered preset's published constants do not fit the model; ``None`` where they do."""
    separation = summary.separation
    if separation is None or summary.method not in PRESETS:
        return None
    mean = float(separation.unrelated.mean())
    if mean <= _UNRELATED_HIGH:
        return None
    return (
        f"Unrelated pairs score {number(mean)} on average: the constants of {summary.method} were published "
        "for all-MiniLM-L6-v2 and do not fit these vectors. Use --method calibrated."
    )


def _fitted_to_another(summary: "MatchSummary") -> str | None:
    """Name the model that a method's weights were fitted to; ``None`` where it is the one that was used."""
    fields = dict(summary.signature.fields)
    fitted, model = (fields.get(name, "").partition("#")[0] for name in ("weights", "model"))
    return fitted if fields.get("method") == "calibrated" and fitted != model else None


def empty_words(summary: "MatchSummary") -> str | None:
    """Say what empty predictions count as; ``None`` where there are none."""
    if summary.n_empty_as_wrong:
        return f"{counted(summary.n_empty_as_wrong, 'empty prediction')} scored 0, as wrong"
    left_out = sum(summary.counts.get(status, 0) for status in (Status.MISSING, Status.EMPTY))
    if left_out:
        predictions = counted(left_out, "empty prediction")
        return f"{predictions} left out of the mean; match --empty wrong would give them the score 0"
    return None


def contradicted_words(summary: "MatchSummary") -> str | None:
    """Say in how many rows one text contradicts a sentence of the other; ``None`` where nobody looked."""
    if summary.n_contradicted is None:
        return None
    rows = counted(summary.n_contradicted, "row")
    return f"{rows} with a sentence that the other text contradicts (probability above {number(0.5)})"


def sampled_words(summary: "MatchSummary") -> str | None:
    """Say what is counted in a sample; ``None`` where all rows are."""
    if not summary.is_sampled:
        return None
    return (
        f"histograms, thirds and the comparison with unrelated pairs are of a random sample of "
        f"{count(SAMPLED_ROWS)} rows; means and counts are of all rows"
    )


def separation_words(summary: "MatchSummary") -> str | None:
    """Say how the scores stand beside those of unrelated pairs; ``None`` where that is not known."""
    separation = summary.separation
    if separation is None:
        return None
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


def details_title(tokens: pl.DataFrame | None) -> str:
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


def part_name(name: str) -> str:
    """Write the name of a part of a score as words.

    Example:
        >>> part_name("findings"), part_name("context")
        ('kept after findings', 'context')
    """
    return _PARTS.get(name, name.replace("_", " "))


def shown_parts(item: "MatchedItem") -> dict[str, float]:
    """Give the parts of an item's score by name, without those that say nothing about this item.

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


_PARTS = {"findings": "kept after findings", "cut": "share cut off"}


_UNRELATED_HIGH = 0.4
"""Mean score of unrelated pairs above which a layered preset says little; with MiniLM it is below .11."""


_SEEN = 0.005
"""Cost of a token from which on it is seen in a score of two digits."""


_EQUAL = 0.995
"""Similarity from which on two digits show 1."""


_FIGURES = {"score": "match", "f1": "F1"}
