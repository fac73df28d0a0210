"""Writes the survey of visitors of lounges for `lounge.R`; it is drawn from a seed, so it is free to copy.

`PYTHONPATH=. python bench/reference/lounge_sample.py lounge.csv`, in the repository's root.
"""

import sys

import polars as pl
from tests.support.lounge_survey import SERVICES, truth


def main(path):
    frame = truth()
    used = [
        pl.col("services").list.contains(number).cast(pl.Int8).alias(f"service_{number + 1}")
        for number in range(len(SERVICES))
    ]
    shared = ("id", "wave", "cabin", "recommend", "satisfaction", "weight", "stratum", "airport")
    frame.select(*shared, *used).write_csv(path)


if __name__ == "__main__":
    main(sys.argv[1])
