"""Runs of ``semscale study compare``: read both sides, and compare them."""

from semscale.cli.options.study_comparison import StudyCompareOptions
from semscale.cli.outputs import check_input
from semscale.study.comparison import StudyComparison, compare


def compare_study(options: StudyCompareOptions) -> StudyComparison:
    """Hold the answers of a study against those of people.

    Raises:
        InputError: a file, a name or a value that does not serve.
    """
    columns = options.columns
    questions, attributes = columns.questions, columns.attributes
    options.outputs.check()
    check_input(options.human, options.outputs.report)
    return compare(
        options.answers,
        options.table.open(options.human),
        questions=questions or None,
        concept=columns.concept,
        respondent=columns.respondent,
        weight=columns.weight,
        by=attributes,
        methods=options.method or (),
        human_range=columns.human_range,
        splits=options.splits,
        plan=options.run.plan,
    )
