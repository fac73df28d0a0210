"""Splits review sentences of two products into two made-up waves, for an example of tables by wave.

Nobody was asked twice. Of each product's reviews, in the order of the data, the first, third, fifth ... are
wave W1, and the others wave W2; sentences of one review stay together. The waves differ by chance alone.
"""

from pathlib import Path

import polars as pl

HERE = Path(__file__).parent
PRODUCTS = ("camera", "phone")


def waves() -> pl.DataFrame:
    """Sentences of two products with review and wave."""
    rows = pl.read_csv(HERE.parent / "coding" / "reviews.csv", schema_overrides={"id": pl.String})
    own = rows.filter(pl.col("product").is_in(PRODUCTS)).with_columns(
        review=pl.col("id").str.split("_").list.first().cast(pl.Int64)
    )
    place = pl.col("review").rank("dense").over("product")
    wave = pl.when(place % 2 == 1).then(pl.lit("W1")).otherwise(pl.lit("W2"))
    return own.select("id", "review", wave.alias("wave"), "product", "text", "rating")


if __name__ == "__main__":
    waves().write_csv(HERE / "reviews.csv")
