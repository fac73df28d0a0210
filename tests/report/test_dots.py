"""The chart of dots: a dot for each mean, a line from the least to the greatest of a row."""

from semscale.report.row_charts import DotRow, dots


def test_every_mean_is_a_dot_in_its_colour_and_one_that_does_not_exist_is_none():
    rows = [DotRow("word", (0.2, 0.6)), DotRow("text", (float("nan"), 0.5)), DotRow("x", (float("nan"),) * 2)]
    drawn = dots(rows, ("red", "blue"), width=860)["datasets"]
    assert [(one["row"], one["value"], one["colour"]) for one in drawn["rows"]] == [
        (0, 0.2, "red"), (0, 0.6, "blue"), (1, 0.5, "blue"),
    ]  # fmt: skip
    assert [(one["row"], one["low"], one["high"]) for one in drawn["spans"]] == [(0, 0.2, 0.6), (1, 0.5, 0.5)]


def test_the_axis_goes_from_0_to_1_and_further_if_a_mean_does():
    def domain(*means):
        return dots([DotRow("x", means)], ("red",) * len(means), width=348)["layer"][1]["encoding"]["x"][
            "scale"
        ]["domain"]

    assert domain(0.2, 0.6) == [0.0, 1.0]
    assert domain(-0.5, 1.5) == [-0.5, 1.5]
