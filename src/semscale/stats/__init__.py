"""Statistics on arrays of numbers, with intervals. No module here depends on texts, files or models.

- ``intervals``: means and shares; ``groups``: the same for groups of rows, read in parts.
- ``correlations``, ``agreement``: coefficients of two measurements and of raters, with resampled intervals.
- ``calibration``, ``acceptance``, ``prediction_powered``: probabilities, thresholds and corrected means from
  scores and a few labels; ``sampling`` draws the rows to label.
- ``survey_designs``, ``survey_estimates``, ``raking``: estimates from surveys; ``significance``: their tests.
- ``distances``, ``panel_benchmarks``: distributions, and a panel of personas compared with people.
- ``regression``, ``clustering``, ``variance_components``: statistical models.
"""
