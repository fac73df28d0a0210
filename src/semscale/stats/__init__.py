"""Statistics on arrays: numbers in, numbers with intervals out. No module here knows texts, files or models.

- ``intervals``: means and shares; ``groups``: the same for groups of rows, added up part by part.
- ``correlations``, ``agreement``: coefficients of two measurements and of raters, with resampled intervals.
- ``calibration``, ``acceptance``, ``prediction_powered``: from scores and some labels to probabilities,
  thresholds and corrected means; ``sampling`` draws the rows to label.
- ``survey_designs``, ``survey_estimates``, ``raking``: figures of surveys; ``significance``: their tests.
- ``distances``, ``panel_benchmarks``: distributions, and a panel of personas compared with people.
- ``regression``, ``clustering``, ``variance_components``: models of data.
"""
