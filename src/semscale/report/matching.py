"""Documents of matching: scores with findings, layers of BERTScore, and a scored submission."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from semscale.matching.layered import PRESETS
from semscale.report import chart_data, figures, parts, sentences
from semscale.report.chart_data import ChartData
from semscale.report.chart_kit import ACCENT, CONTRAST, MUTED, NEUTRAL
from semscale.report.document import (
    Block,
    Citation,
    Count,
    Document,
    Figure,
    Headline,
    ItemCard,
    Items,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    Value,
    WithInterval,
    estimate_cell,
    mark_findings,
    notices,
)
from semscale.report.formatting import (
    capitalise,
    count,
    count_of,
    coverage,
    number,
    one_line,
    percent,
    plain,
)
from semscale.report.parts import Columns, Fact, quote_file_name, section, table, table_of, without_none
from semscale.report.row_charts import GROUP, HISTOGRAM, UNRELATED
from semscale.report.sentences import STATUS_MEANINGS
from semscale.results.result import UNREAD
from semscale.spelling import hint
from semscale.stats.sampling import SAMPLED_ROWS
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.matching.bertscore import LayerCalibration
    from semscale.matching.cliniqlink import EvaluationSummary, TaskScore
    from semscale.matching.summary import MatchedItem, MatchSummary

MEANINGS = STATUS_MEANINGS | {
    "missing": "no prediction: the cell is empty or null",
    "not-text": "the cell of the prediction holds a number or something else that is not text",
    "empty": "the prediction is nothing but white space",
    "no-reference": "no reference holds a text to match with",
    "other-language": "the prediction or the reference is in a language that the model does not read",
    "weightless": f"{UNREAD}; or no token of the texts counts",
}
_GUARDS = (
    "Similarity scores barely reflect words that reverse the meaning. Guards look for them; these are the "
    "rows with findings that score highest."
)
_INVALID = "invalid replies count as 0; items whose right answer is not stated are left out"
_CLINIQLINK = Citation(
    "ClinIQLink 2025.",
    "Evaluation of answers in words, sentences and paragraphs",
    "Shared task of the BioNLP workshop at ACL 2025",
    "the method",
)
_BERTSCORE = Citation(
    "Zhang, T., Kishore, V., Wu, F., Weinberger, K. Q., & Artzi, Y. (2020).",
    "BERTScore: Evaluating text generation with BERT",
    "ICLR 2020, arXiv:1904.09675",
    "the method",
)
_CITED = {
    "bertscore": _BERTSCORE,
    "entailment": parts.SUMMAC,
    "cliniqlink-doc": _CLINIQLINK,
    "cliniqlink-code": _CLINIQLINK,
}
_FIGURES = {"score": "match", "f1": "F1"}
_PARTS = {"findings": "kept after findings", "cut": "share cut off"}
_THIRDS = figures.legend((CONTRAST, NEUTRAL, ACCENT), ("lowest third", "middle third", "highest third"))
_SHOWN_ITEMS = 12
_UNRELATED_HIGH = 0.4  # mean of unrelated pairs; with MiniLM, which the presets are for, it is below .11
_SEEN = 0.005  # least cost of a token that shows in a score of two digits
_EQUAL = 0.995  # least similarity that two digits show as 1
_DIGITS = 3


# Matched texts


def match_document(summary: "MatchSummary") -> Document:
    """Turn the scores of matched texts into a document."""
    columns, estimates, notes = summary.columns, summary.estimates, _notes(summary)
    title = "Match of predictions with references"
    return Document(
        kind="matching report",
        name="Match",
        title=("Match of “", Quoted(columns.prediction), "” with its references") if columns else title,
        source=(*parts.input_and_date(summary), f"method {summary.method}"),
        lead=parts.headline(estimates, mean_name(estimates.overall.main), summary.bounds),
        introduction=(
            parts.scored_rows(summary),
            *(Paragraph(f"{capitalise(note)}.") for note in notes.values()),
        ),
        notices=notices(
            warnings=[*sentences.language_warnings(summary), *sentences.unread_warnings(summary.counts)],
            cautions=[*estimates.notes_about("row"), *_cautions(summary)],
            notes=[
                *parts.estimate_notes(estimates, n_windowed=summary.n_windowed),
                *(f"{name}: {note}" for name, note in notes.items()),
            ],
        ),
        facts=parts.facts(*parts.row_counts(summary, n_windowed=summary.n_windowed), *_facts(summary)),
        sections=without_none(*_sections(summary)),
        settings=parts.run_settings(
            summary,
            *parts.column_settings(columns, prediction="Predictions", reference="References", by="Groups"),
            ("Intervals", sentences.estimate_method(estimates)),
        ),
        citations=without_none(_CITED.get(summary.method)),
        signature=summary.signature,
    )


def _notes(summary: "MatchSummary") -> dict[str, str]:
    """Return the notes on empty predictions, contradictions, unrelated pairs and samples, by subject."""
    notes = {
        "empty": _empty_note(summary),
        "contradicted": _contradiction_note(summary),
        "separation": _separation_note(summary),
        "sampled": _sample_note(summary),
    }
    return {subject: note for subject, note in notes.items() if note}


def _facts(summary: "MatchSummary") -> Iterator[Fact]:
    overall = summary.estimates.overall
    for name, mean in overall.figures.items():
        if name != overall.main:
            yield capitalise(mean_name(name)), mean
    if summary.n_flagged is not None:
        yield "With findings", summary.n_flagged
    if summary.n_contradicted is not None:
        yield "Contradicted", summary.n_contradicted
    if summary.n_across_languages:
        yield "Across languages", summary.n_across_languages
    if summary.separation:
        yield "Above unrelated", Share(summary.separation.share)


def _sections(summary: "MatchSummary") -> Iterator[Section | None]:
    estimates, guards = summary.estimates, summary.guards
    if estimates.overall.n:
        names = {name: mean_name(name) for name in estimates.overall.figures}
        names[estimates.overall.main] += f", from {' to '.join(map(plain, summary.bounds))}"
        means = [(name, estimates.overall.figures[figure]) for figure, name in names.items()]
        yield section(
            "scores",
            parts.by_groups("Distribution of the scores", estimates),
            parts.altogether(means, estimates.interval),
            *_scores_blocks(summary),
            replace(parts.group_table(estimates), detail="brief") if estimates.groups else None,
        )
    else:
        yield parts.nothing_section("scores")
    if summary.flagged:
        legend = parts.guard_legend(guards, parts.GUARD_MEANINGS)
        yield section(
            "findings",
            "Similar, and yet different",
            parts.guard_table(guards, parts.GUARD_MEANINGS, noun="row", title="Findings"),
            Paragraph(_GUARDS, "lead"),
            _items(summary.flagged[:_SHOWN_ITEMS], guards=legend),
        )
    if lowest := _lowest(summary):
        title = count_of(min(len(lowest), Items.most), "lowest score")
        items = _items(lowest, brief_title=title, is_explained=summary.is_explained)
        yield section("worst", "The lowest scores", items)
    yield section("parts", "Parts of the scores", _parts_figure(summary))
    yield parts.languages_section(summary.languages, ("prediction", "reference"))
    yield parts.left_out_section(summary, MEANINGS)


def _scores_blocks(summary: "MatchSummary") -> tuple[Block | None, ...]:
    """Build histograms of scores: all rows, unrelated pairs, then the largest groups, the best first."""
    estimates, separation, overall = summary.estimates, summary.separation, summary.estimates.overall
    everything = parts.label_with_base("All rows", Count(overall.n))
    drawn = [figures.score_group(everything, summary.scores, HISTOGRAM, overall.mean)]
    rows: list[tuple[Value, ...]] = [parts.mean_row("all rows", overall)]
    sample = f"{count(SAMPLED_ROWS)} rows" if summary.is_sampled else ""
    caption = [figures.histogram_caption("rows have which score", estimates, sample)]
    if separation:
        n = len(separation.unrelated)
        pairs = parts.label_with_base("Unrelated pairs", Count(n))
        drawn.append(figures.score_group(pairs, separation.unrelated, UNRELATED))
        rows.append(("unrelated pairs", n, None, float(separation.unrelated.mean())))
        caption.append(
            f"Unrelated pairs are {count_of(n, 'prediction')} with the references of other rows: "
            f"{percent(separation.share)} of the time a row scores above such a pair."
        )
    groups = figures.group_histograms(estimates, summary.group_scores, GROUP)
    n_drawable = sum(group.group in summary.group_scores for group in estimates.groups if group.mean)
    if len(groups) < n_drawable:
        caption.append(f"The {len(groups)} largest of {count(n_drawable)} groups are drawn, all are below.")
    rows += [
        parts.mean_row(parts.group_name(group.group, estimates.group_title), group)
        for group in parts.groups_to_list(estimates)
    ]
    caption += without_none(parts.small_base_note(estimates, "row"), parts.omission_note(estimates))
    figure = figures.histograms_figure(
        "scores",
        (*drawn, *groups),
        summary.bounds,
        table(("", "rows", "left out", "mean"), rows),
        caption=" ".join(caption),
    )
    return figures.histogram_table(drawn[0], summary.bounds, ("score", "rows")), figure


def _lowest(summary: "MatchSummary") -> "list[MatchedItem]":
    """Return the items with low scores; with explanations, all items below the greatest score."""
    lowest, (_, greatest) = summary.lowest[:_SHOWN_ITEMS], summary.bounds
    if summary.is_explained:
        return [item for item in lowest if item.score < greatest]
    mean = summary.estimates.overall.mean
    return parts.low_items(lowest, lambda item: item.score, mean, summary.bounds)


def _items(
    items: "Sequence[MatchedItem]",
    *,
    guards: tuple[tuple[str, str, int], ...] = (),
    brief_title: str = "",
    is_explained: bool = False,
) -> Items:
    return Items(
        tuple(map(_item, items)),
        guards,
        brief_title=brief_title,
        heads=("prediction", "reference"),
        is_explained=is_explained,
    )


def _item(item: "MatchedItem") -> ItemCard:
    findings = item.findings or ()
    texts = {"prediction": item.prediction, "reference": item.reference}
    is_of_sentences = item.tokens is not None and "contradiction" in item.tokens.columns
    return ItemCard(
        row=item.row + 1,
        score=Number(item.score),
        labels=() if item.group is None else (Quoted(item.group),),
        texts=tuple(
            (side, mark_findings(text, [(finding.guard, getattr(finding, side)) for finding in findings]))
            for side, text in texts.items()
            if text is not None
        ),
        findings=tuple((finding.guard, one_line(finding.reason)) for finding in findings),
        parts=tuple((part_name(name), Number(value)) for name, value in _parts_to_show(item).items()),
        details=(
            f"{'sentences' if is_of_sentences else 'words'} that cost most",
            costly_tokens(item.tokens),
        ),
        brief=(Quoted(item.prediction), Quoted(item.reference)),
    )


def _parts_to_show(item: "MatchedItem") -> dict[str, float]:
    """Return the parts of an item's score that apply; findings and cuts only if there are any."""
    known = {name: part for name, part in item.components.items() if not math.isnan(part)}
    if not item.findings:
        known.pop("findings", None)
    if not known.get("cut"):
        known.pop("cut", None)
    return known


def costly_tokens(tokens: pl.DataFrame | None, n: int = 4) -> tuple[str, ...]:
    """Name the tokens that lower a pair's score most: those with weight and a dissimilar best counterpart.

    Args:
        tokens: tokens from ``semscale.matching.pairs.explained_side``.
        n: greatest number of tokens.

    Returns:
        Phrases such as ``"wheel" (reference) met only "expel", .42``; none if every token has an equal
        counterpart. As each token of a long text costs little, tokens are included that cost at least half as
        much as the first.
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
    """Return the name of a part of a score as words.

    Examples:
        >>> part_name("findings"), part_name("context")
        ('kept after findings', 'context')
    """
    return _PARTS.get(name, name.replace("_", " "))


def mean_name(figure: str) -> str:
    """Return the name of the mean of a figure of matches or BERTScores.

    Examples:
        >>> [mean_name(figure) for figure in ("score", "f1", "recall")]
        ['mean match', 'mean F1', 'mean recall']
    """
    return f"mean {_FIGURES.get(figure, figure)}"


def _parts_figure(summary: "MatchSummary") -> Figure | None:
    """Draw the mean of each part in rows with low, medium and high scores; ``None`` without parts or rows."""
    if not summary.thirds:
        return None
    means = {part_name(name): means for name, means in summary.thirds.items() if name != "cut"}
    rows = [(name, *values) for name, values in means.items()]
    return Figure(
        "parts",
        *figures.dot_chart(
            means, _THIRDS, about="Mean of each part in the lowest, middle and highest third of rows"
        ),
        table(("part", *(third.label for third in _THIRDS)), rows, detail="full"),
        caption="Rows are cut into thirds by their score. The further apart a part's dots are, the more it "
        "tells low scores from high ones; a part with dots close together decides almost nothing.",
        legend=_THIRDS,
        data=(figures.dot_data(means, _THIRDS, quantity="mean of each part"),),
    )


# Sentences on matched texts


def _empty_note(summary: "MatchSummary") -> str | None:
    if summary.n_empty_as_wrong:
        return f"{count_of(summary.n_empty_as_wrong, 'empty prediction')} scored 0, as wrong"
    left_out = sum(summary.counts.get(status, 0) for status in (Status.MISSING, Status.EMPTY))
    if left_out:
        predictions = count_of(left_out, "empty prediction")
        return f"{predictions} left out of the mean" + hint("; `empty='wrong'` would give them the score 0")
    return None


def _contradiction_note(summary: "MatchSummary") -> str | None:
    if summary.n_contradicted is None:
        return None
    rows = count_of(summary.n_contradicted, "row")
    return f"{rows} with a sentence that the other text contradicts (probability above {number(0.5)})"


def _separation_note(summary: "MatchSummary") -> str | None:
    """Compare the scores with those of unrelated pairs; ``None`` if these are unknown."""
    separation = summary.separation
    if separation is None:
        return None
    mean = number(float(separation.unrelated.mean()))
    pairs = count_of(len(separation.unrelated), "such pair")
    return (
        f"a row scores above an unrelated pair {percent(separation.share)} of the time, and half of the time "
        f"by chance ({pairs}, mean {mean})"
    )


def _sample_note(summary: "MatchSummary") -> str | None:
    if not summary.is_sampled:
        return None
    return (
        f"histograms, thirds and the comparison with unrelated pairs are of a random sample of "
        f"{count(SAMPLED_ROWS)} rows; means and counts are of all rows"
    )


def _cautions(summary: "MatchSummary") -> Iterator[str]:
    separation = summary.separation
    if separation is not None and separation.is_weak:
        yield (
            f"These scores barely separate the pairs from unrelated pairs: only {percent(separation.share)} "
            "are above, and 50 % would be by chance. Look at the pairs before trusting the mean, or try "
            "another method" + hint(" (`method`)") + "."
        )
    if summary.n_flagged and not summary.weighs_findings:
        yield (
            f"Guards have findings in {count_of(summary.n_flagged, 'row')}; this method's scores do not take "
            "them into account."
        )
    if summary.n_unguarded:
        yield (
            f"Guards read only English: {count_of(summary.n_unguarded, 'row')} in other languages were not "
            "checked for negations, numbers and names."
        )
    if summary.n_by_text_alone:
        yield (
            f"In {count_of(summary.n_by_text_alone, 'row')} the texts are in different languages: only the "
            "layer of whole texts counts there, as words have no equals."
        )
    if summary.n_cut:
        yield (
            f"In {count_of(summary.n_cut, 'row')} sentences were longer than the entailment model reads: "
            "their ends were left out."
        )
    yield from _method_cautions(summary)


def _method_cautions(summary: "MatchSummary") -> Iterator[str]:
    """State that a method's constants or weights do not fit the model."""
    separation, fields = summary.separation, dict(summary.signature.fields)
    if separation is not None and summary.method in PRESETS:
        mean = float(separation.unrelated.mean())
        if mean > _UNRELATED_HIGH:
            yield (
                f"Unrelated pairs score {number(mean)} on average: the constants of {summary.method} were "
                "published for all-MiniLM-L6-v2 and do not fit these vectors."
                + hint(" Use `method='calibrated'`.")
            )
    weights, model = (fields.get(name, "").partition("#")[0] for name in ("weights", "model"))
    if fields.get("method") == "calibrated" and weights != model:
        yield (
            f"The weights of calibrated were fitted to {weights}, not to this model: compare its scores only "
            "with each other."
        )


# Layers of BERTScore


def calibration_document(calibration: "LayerCalibration") -> Document:
    """Turn the calibration of a model's layers into a document."""
    drawn = f"{count_of(calibration.n_pairs, 'random pair')} of {count_of(calibration.n_texts, 'text')}"
    best = _best_layer(calibration)
    return Document(
        kind="BERTScore calibration",
        name="BERTScore layers",
        title=("Scores of unrelated texts at each layer of ", Quoted(calibration.model.split("#")[0])),
        source=(quote_file_name(calibration.source),),
        introduction=without_none(
            parts.sentence(drawn), Paragraph(f"{capitalise(best)}.") if best is not None else None
        ),
        notices=notices(notes=[best]),
        sections=(Section("layers", "Layer by layer", (_layers_figure(calibration),)),),
        settings=parts.signature_fields(calibration.signature),
        citations=(_BERTSCORE,),
        signature=calibration.signature,
    )


def _best_layer(calibration: "LayerCalibration") -> str | None:
    """State the layer that agrees best with people; ``None`` without judged pairs."""
    human, plan = calibration.human, calibration.plan
    if not human or not plan:
        return None
    left_out = f", {human.n_left_out:,} left out" if human.n_left_out else ""
    intervals = sentences.interval_methods(plan, {"": "bootstrap"}, "judged pairs")
    judged = f"{count_of(human.n, 'judged pair')}{left_out}"
    return f"best layer: {human.best_layer} ({judged}); intervals: {intervals}"


def _layers_figure(calibration: "LayerCalibration") -> Figure:
    human = calibration.human
    columns: Columns[int] = (
        ("layer", lambda layer: layer),
        *(
            (head, lambda layer, index=index: Number(float(calibration.baseline[layer][index]), 4))
            for index, head in enumerate(("precision", "recall", "F1"))
        ),
        ("error of F1", lambda layer: Number(float(calibration.error[layer][2]), 4)),
        ("Spearman with people", lambda layer: estimate_cell(human.spearman[layer], _DIGITS))
        if human
        else None,
    )
    layers = range(len(calibration.baseline))
    rows = {
        f"layer {layer}": (
            float(calibration.baseline[layer][2]),
            *((human.spearman[layer].value,) if human else ()),
        )
        for layer in layers
    }
    n_series = 2 if human else 1
    series = figures.legend(
        (MUTED, ACCENT)[:n_series], ("F1 of random pairs", "Spearman with people")[:n_series]
    )
    about = f"{' and '.join(swatch.label for swatch in series)}, layer by layer"
    return Figure(
        "layers",
        *figures.dot_chart(rows, series, about=about, title=""),
        table_of(layers, columns),
        caption="Random pairs are unrelated: a score is informative only above theirs.",
        legend=series,
        data=(figures.dot_data(rows, series),),
    )


# A submission


def evaluation_document(summary: "EvaluationSummary") -> Document:
    """Turn the scores of a submission into a document."""
    tasks, mean = summary.tasks, "overall, each task counting the same"
    methods = {task.task: task.estimate.method for task in tasks}
    intervals = sentences.interval_methods(summary.plan, methods, "items")
    overall = WithInterval(summary.overall, np.nan, np.nan, _DIGITS)
    ticks = (0.0, 0.25, 0.5, 0.75, 1.0)
    return Document(
        kind="submission report",
        name="Submission",
        title=("Scores of the submission “", quote_file_name(summary.source), "”"),
        source=parts.input_and_date(summary),
        lead=None
        if np.isnan(summary.overall)
        else Headline(mean, overall, (0.0, 1.0), summary.plan.interval, ticks),
        introduction=(Paragraph(f"{capitalise(_INVALID)}."),),
        notices=notices(notes=[f"intervals: {intervals}", _INVALID]),
        facts=parts.facts(
            ("Tasks", len(tasks)),
            ("Items", len(summary.items)),
            ("Invalid replies", sum(task.n_invalid for task in tasks)),
            ("Left out", sum(task.estimate.n_left_out for task in tasks)),
        ),
        sections=without_none(
            section(
                "tasks",
                "By task",
                _tasks_block(tasks, summary.plan.interval),
                Paragraph(f"{mean}: {number(summary.overall, _DIGITS)}", detail="brief"),
            ),
        ),
        settings=parts.run_settings(summary, ("Intervals", intervals)),
        citations=(_CLINIQLINK,),
        signature=summary.signature,
    )


def _tasks_block(tasks: "tuple[TaskScore, ...]", interval: float) -> Block:
    """Draw the tasks with a score, above the table of all tasks."""
    columns: Columns[TaskScore] = (
        ("task", lambda task: Quoted(task.task)),
        ("score", lambda task: estimate_cell(task.estimate, _DIGITS)),
        ("measure", lambda task: task.measure),
        ("items", lambda task: task.estimate.n),
        ("invalid", lambda task: task.n_invalid),
        ("left out", lambda task: task.estimate.n_left_out),
        *(
            (name.replace("_", " "), lambda task, name=name: Number(task.figures.get(name), _DIGITS))
            for name in dict.fromkeys(name for task in tasks for name in task.figures)
        ),
    )
    listed = table_of(tasks, columns, title="By task")
    scored = [(task.task, task.estimate) for task in tasks if not np.isnan(task.estimate.value)]
    if not scored:
        return listed
    return Figure(
        "tasks",
        *figures.bar_chart(scored, about="Scores by task", digits=_DIGITS),
        listed,
        caption=f"Each task’s score with its {coverage(interval)} interval.",
        data=(
            ChartData("bars", *chart_data.estimates("score", scored), chart_data.decimals(_DIGITS), "score"),
        ),
    )
