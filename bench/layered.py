"""Speed of the layered match compared with the procedure of its document, on the same pairs, in turn.

Run with ``python bench/layered.py``; sentence-transformers encodes the peer's tokens. The pairs are Beetle's
test answers, each with its first reference (``../shared/data``). Semscale begins every turn without stored
embeddings and word tables; the peer stores nothing either.
"""

from datetime import date

import numpy as np

from beetle import read_answers
from measuring import Options, Peer, machine, ratios, seconds, spread
from semscale.embedding import load_embedder
from semscale.embedding.token_states import state_engine
from semscale.matching.layered import PRESETS, LayeredMatch, pieces_of, smooth_idf
from semscale.matching.matcher import METHODS, Matcher, match_with
from semscale.matching.words import stop_words
from semscale.weights.known import DEFAULT_MODEL
from semscale.weights.resolving import resolve

LAYERED = ("cliniqlink-doc", "cliniqlink-code")


def real_pairs(n):
    """Return answers and references of both test files, shuffled, so that any part is representative."""
    pairs = []
    for name in ("test-unseen-questions", "test-unseen-answers"):
        answers = read_answers(name)
        first = [listed[0] for listed in answers.references]
        pairs += list(zip(answers.answer, first, strict=True))
    order = np.random.default_rng(0).permutation(len(pairs))[:n]
    return [pairs[place] for place in order]


def cold(name, embedder, pieces):
    """Return a method with a loaded and compiled model and empty caches."""
    return LayeredMatch(PRESETS[name], embedder=embedder, pieces=pieces)


def order_for(pairs, folder, pieces, baseline):
    corpus = [reference for _, reference in pairs]
    idf = smooth_idf((pieces(text) for text in corpus), unseen=None)
    return {
        "model": str(folder),
        "pairs": pairs,
        "idf": dict(idf.weights),
        "unseen": idf.unseen,
        "stop_words": sorted(stop_words()),
        "baseline": baseline,
    }


def report(name, n, theirs, ours):
    print(
        f"{name}: {spread([n / time for time in ours], 0)} pairs/s, "
        f"{spread(ratios(theirs, ours), 1)} times as fast"
    )


def main():
    parser = Options(__doc__)
    parser.add_peer("sentence-transformers")
    parser.add_size("--pairs", 200, quick=8, help="at most so many pairs")
    parser.add_size("--turns", 5, quick=1)
    options = parser.parse_args()
    pairs = real_pairs(options.pairs)
    predictions, references = map(list, zip(*pairs, strict=True))
    folder = resolve(DEFAULT_MODEL).folder
    embedder = load_embedder(DEFAULT_MODEL, cache=False)
    pieces = pieces_of(state_engine(embedder).open_tokenizer())
    found = match_with(cold(LAYERED[0], embedder, pieces), predictions, references)
    baseline = float(dict(found.signature.fields)["baseline"])
    peer = Peer(options.peer, "layered_peer.py", order_for(pairs, folder, pieces, baseline))
    about = peer.about
    print(f"{date.today()}, {machine()}")
    print(f"{len(pairs)} pairs; peer: sentence-transformers {about['version']}, torch {about['torch']}")
    print(f"largest difference of scores from the peer: {np.abs(found.score - about['scores']).max():.1e}")
    theirs, ours = [], {name: [] for name in LAYERED}
    calibrated = Matcher("calibrated") if "calibrated" in METHODS else None
    if calibrated:
        calibrated.match(predictions[:50], references[:50])
        ours["calibrated"] = []
    for _ in range(options.turns):
        theirs.append(peer.turn())
        for name in LAYERED:
            method = cold(name, embedder, pieces)
            ours[name].append(seconds(lambda method=method: match_with(method, predictions, references)))
        if calibrated:
            ours["calibrated"].append(seconds(lambda: calibrated.match(predictions, references)))
    print(f"peer: {spread([len(pairs) / time for time in theirs], 1)} pairs/s")
    for name, times in ours.items():
        report(name, len(pairs), theirs, times)
    print("to reach: 20 times as fast")


if __name__ == "__main__":
    main()
