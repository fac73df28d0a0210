"""Texts that people rated from -4 (extremely negative) to 4: the four sets of VADER's data.

The review sentences are in ``examples/``. Movie reviews, tweets and editorials of the New York Times (MIT
licence) are in the source distribution of vaderSentiment: pip downloads it once into the user's cache folder
and checks its hash.
"""

import csv
import json
import subprocess
import sys
import tarfile
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from platformdirs import user_cache_path

REVIEWS = Path(__file__).parents[1] / "examples" / "product_reviews.csv"
LOWEST, HIGHEST = -4.0, 4.0
RELEASE = "vaderSentiment-3.3.2"
SHA256 = "5d7c06e027fc8b99238edb0d53d970cf97066ef97654009890b83703849632f9"
FILES = {"movies": "movieReviewSnippets", "tweets": "tweets", "editorials": "nytEditorialSnippets"}
INSIDE = f"{RELEASE}/additional_resources/hutto_ICWSM_2014.tar.gz"


@dataclass(frozen=True)
class RatedTexts:
    """Texts with the ratings of each person; every array has one row per text.

    Attributes:
        name: ``reviews``, ``movies``, ``tweets`` or ``editorials``.
        texts: n texts.
        group: shape (n,), the review or article of a text; the text's own number if that is unknown.
        ratings: shape (n, most people), whole numbers from -4 to 4; NaN beyond those who rated the text.
    """

    name: str
    texts: list
    group: np.ndarray
    ratings: np.ndarray

    @property
    def mean(self):
        """Mean rating of each text, shape (n,)."""
        return np.nanmean(self.ratings, axis=1)

    def where(self, rows):
        """Return the texts that a mask marks."""
        kept = np.flatnonzero(rows)
        return RatedTexts(self.name, [self.texts[row] for row in kept], self.group[kept], self.ratings[kept])

    def named(self, name):
        """Return the same texts under another name."""
        return replace(self, name=name)


def review_sentences():
    """Return the 3,708 sentences of 300 product reviews, with 20 ratings each."""
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    ratings = as_table([json.loads(row["human_ratings"]) for row in rows])
    return RatedTexts(
        "reviews", [row["text"] for row in rows], np.array([row["review"] for row in rows]), ratings
    )


def first(rated, most):
    """Return at most ``most`` of the texts; all if ``most`` is ``None``."""
    return rated if most is None else rated.where(np.arange(len(rated.texts)) < most)


def review_texts(most=None):
    """Return at most ``most`` distinct sentences of the product reviews."""
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        return list(dict.fromkeys(row["text"] for row in csv.DictReader(file)))[:most]


def further_sets():
    """Return movie reviews (10,605), tweets (4,200) and editorials (5,190), with 15 to 99 ratings each.

    The result is empty, and a line is printed, if the package index cannot be reached.
    """
    try:
        archive = source_distribution()
    except OSError as error:
        print(f"left out: movies, tweets and editorials: {error}\n", file=sys.stderr)
        return []
    with tarfile.open(archive) as release, tarfile.open(fileobj=release.extractfile(INSIDE)) as files:
        return [rated_texts(files, name, stem) for name, stem in FILES.items()]


def source_distribution():
    """Fetch the source distribution unless it is there, and check it."""
    folder = user_cache_path("semscale-bench", appauthor=False)
    archive = folder / f"{RELEASE}.tar.gz"
    if not archive.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        fetch_into(folder)
    found = sha256(archive.read_bytes()).hexdigest()
    if found != SHA256:
        raise OSError(f"{archive} has the SHA-256 {found}, not {SHA256}: delete it and try again")
    return archive


def fetch_into(folder):
    """Download the archive with pip, which compares the hash before it runs any code of it."""
    # Two benchmarks may download at the same time, so the archive appears only when it is complete.
    with TemporaryDirectory(dir=folder) as work:
        requirement = Path(work) / "requirement.txt"
        requirement.write_text(f"{RELEASE.replace('-', '==')} --hash=sha256:{SHA256}\n", encoding="utf-8")
        command = [sys.executable, "-m", "pip", "download", "--no-binary", ":all:", "--no-deps", "--quiet"]
        command += ["--dest", work, "--requirement", str(requirement)]
        pip = subprocess.run(command, capture_output=True, text=True, check=False)
        if pip.returncode:
            messages = pip.stderr.strip().splitlines() or ["no message"]
            raise OSError(f"pip could not fetch {RELEASE}: {messages[-1]}")
        Path(work, f"{RELEASE}.tar.gz").replace(folder / f"{RELEASE}.tar.gz")


def rated_texts(files, name, stem):
    """Read one set: texts from one file, ratings from another, matched by number."""
    said = {number: text for number, _, text in lines(files, f"{stem}_GroundTruth.txt", 2)}
    rated = {number: json.loads(row) for number, _, _, row in lines(files, f"{stem}_anonDataRatings.txt", 3)}
    if set(said) != set(rated):
        raise ValueError(f"{stem}: {len(set(said) ^ set(rated))} texts have no ratings, or ratings no text")
    group = np.array([number.split("_")[0] for number in said])
    return RatedTexts(name, list(said.values()), group, as_table([rated[number] for number in said]))


def lines(files, name, tabs):
    content = files.extractfile(f"hutto_ICWSM_2014/{name}").read().decode("utf-8-sig")
    return [line.strip().split("\t", tabs) for line in content.split("\n") if line.strip()]


def as_table(ratings):
    table = np.full((len(ratings), max(map(len, ratings))), np.nan)
    for row, numbers in enumerate(ratings):
        table[row, : len(numbers)] = numbers
    if not ((table >= LOWEST) & (table <= HIGHEST) | np.isnan(table)).all():
        raise ValueError(f"ratings must lie in {LOWEST:g} to {HIGHEST:g}")
    return table
