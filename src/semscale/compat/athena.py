"""The interface of Athena's quality drift analysis: ``from semscale.compat.athena import ...``.

Intended differences from Athena's scripts:

- Feedback is paired by optimal assignment of its texts, so its order does not matter. Missing or extra
  feedback counts 0 in BERTScore, and the range of credits in credit drift. Athena pairs by position and drops
  the rest of the longer list, as does ``pairing="position"``.
- A model without feedback has F1 0 and the greatest credit drift: the range of the baseline's credits, or
  infinity if no range is known. Athena gives it credit drift 0, so that its credits pass. If neither side has
  feedback, the figures are NaN and left out of means. Athena gives 0.
- BERTScore uses Semscale's default model, not ``roberta-large``, whose random pairs have .83, so that
  everything passes the threshold .8; ``embedder`` sets another one. The same threshold means something else
  with another model.
- A failure is an error. Athena prints a line and counts F1 0.
- The report keeps earlier entries of an exercise under ``history``; a file that is no report is refused, not
  replaced. Times are UTC.
- ``regenerate_baseline`` creates new baselines; Athena's script ignores its option. Nothing is printed, and
  ``exit_code`` is 1 if a candidate fails.
- One submission is drawn from each bucket of scores with a seed; Athena takes the first (``seed=None``). A
  submission without a score is in no bucket; Athena counts it as 0.
- Both formats of exercise files are read: ``feedbacks``, and ``baseline_feedback`` of the documentation.
"""

from semscale.compat.athena_analyzer import QualityDriftAnalyzer
from semscale.compat.athena_feedback import calculate_bertscore_similarity, calculate_credit_drift
from semscale.compat.athena_report import REPORT, read_report, update_report
from semscale.compat.athena_run import AnalysisSettings, QualityDrift, run_quality_drift_analysis
from semscale.compat.athena_sampling import sample_exercise, sample_exercises, score_bucket
from semscale.compat.athena_sources import NewBaseline

__all__ = [
    "REPORT",
    "AnalysisSettings",
    "NewBaseline",
    "QualityDrift",
    "QualityDriftAnalyzer",
    "calculate_bertscore_similarity",
    "calculate_credit_drift",
    "read_report",
    "run_quality_drift_analysis",
    "sample_exercise",
    "sample_exercises",
    "score_bucket",
    "update_report",
]
