"""The 200 review sentences that are translated for the agreement with people in other languages.

``python bench/review_sample.py`` writes them as CSV (id, text, human_mean). They come from the half of the
reviews that was not used to choose anchor sets (``bench/anchors.py``). The sentences are ranked by human mean
and divided into 200 equal parts; one sentence is drawn at random from each part.
"""

import csv
import sys

import numpy as np

from anchors import REVIEWS, SHIPPED_SEED, half_of
from measuring import Options

N_SENTENCES, SEED = 200, 0
SHORTEST, LONGEST = 15, 300  # characters; sentences of this length can be translated without their context


def main():
    Options(__doc__).parse_args()
    writer = csv.DictWriter(sys.stdout, ["id", "text", "human_mean"], extrasaction="ignore")
    writer.writeheader()
    writer.writerows(sampled_reviews())


def sampled_reviews():
    """Return the sentences as rows of the file of reviews, in its order."""
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    reported = ~half_of(np.array([row["review"] for row in rows]), SHIPPED_SEED)
    usable = [
        place for place, row in enumerate(rows) if reported[place] and SHORTEST <= len(row["text"]) <= LONGEST
    ]
    by_mean = sorted(usable, key=lambda place: (float(rows[place]["human_mean"]), place))
    rng = np.random.default_rng(SEED)
    parts = np.array_split(np.array(by_mean), N_SENTENCES)
    return [rows[place] for place in sorted(int(rng.choice(part)) for part in parts)]


if __name__ == "__main__":
    main()
