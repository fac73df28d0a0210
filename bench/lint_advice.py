"""Agreement with people before and after advice of the linter is followed, by the kind of advice.

Run with ``python bench/lint_advice.py``. Scales are single anchor sets and random threes of the scales of
``constructs.yaml`` with their exemplars, and of ``quality`` on four sets of texts. A finding about a sentence
is removed by the sentence of the same point from another set of the construct, the first one that removes it;
one about a set, by leaving the set out; one about a single set, by adding another set. A set is spoiled on
purpose in some scales, as hardly any real set contradicts the others: its sentences are shuffled, or it is a
set of another construct.

Columns: number of pairs of scales, before and after; share of them in which Pearson's r with people rises,
and mean of the rise; share in which the error of the mean falls; r before, and the share of scales with r
below .3 before. The linter gives advice of the kinds that raise r in at least ``HELPFUL`` of the pairs.
"""

import json
from collections import defaultdict
from datetime import date

import numpy as np
import yaml

from constructs import MODEL, read_scale, read_texts
from measuring import ROOT, Options, machine
from rated_texts import HIGHEST, LOWEST, first, further_sets, review_sentences
from semscale.embedding import RememberingEmbedder, load_embedder
from semscale.embedding.embedder import anchor_embedder
from semscale.rating.lint import lint
from semscale.rating.readouts import combined_ratings
from semscale.report.lint import sentences_of
from semscale.scales import load_scale
from shared_data import shared_data

HELPFUL = 0.7
THREES, SPOILED, MOST_SETS = 12, 8, 24


def main():
    parser = Options(__doc__)
    parser.add_size("--texts", 800, quick=40, help="at most so many of each set")
    parser.add_size("--sets", MOST_SETS, quick=3, help="at most so many anchor sets of each construct")
    options = parser.parse_args()
    rng, pairs = np.random.default_rng(0), defaultdict(list)
    loaded = load_embedder(MODEL)
    embedder, jobs = RememberingEmbedder(anchor_embedder(loaded)), list(rated_scales(options))
    for texts, human, scale in jobs:
        vectors = loaded.embed(texts).vectors
        others = [other for _, _, other in jobs if other.name != scale.name]
        for before, unused in (*parts_of(scale, rng), *spoiled(scale, others, rng)):
            for kind, after in followed(before, unused, embedder):
                pairs[kind].append([agreement(one, vectors, human, embedder) for one in (before, after)])
    print(f"{date.today()}, {MODEL}, {machine()}, {sum(map(len, pairs.values()))} pairs\n")
    print(f"| finding | pairs | r rises | mean rise | error falls | r before | r < .3 |\n|{'---|' * 7}")
    for kind, measured in sorted(pairs.items()):
        (r, error), (new_r, new_error) = np.array(measured).transpose(1, 2, 0)
        print(
            f"| {kind} | {len(r)} | {np.mean(new_r > r):.0%} | {np.mean(new_r - r):+.3f} | "
            f"{np.mean(new_error < error):.0%} | {r.mean():.2f} | {np.mean(r < 0.3):.0%} |"
        )


def rated_scales(options):
    """Yield texts, people's means on the scale's values, and the scale with all sets of its construct."""
    folder = shared_data("constructs")
    for entry in yaml.safe_load((ROOT / "bench" / "constructs.yaml").read_text()):
        texts, human = read_texts(folder / f"{entry['name']}.csv", options.texts)
        scale = read_scale(folder, entry)
        means = [np.mean(ratings) for ratings in human]
        yield texts, mapped(means, entry["range"], scale), with_most(scale, options.sets)
    written = json.loads((folder / "exemplars" / "quality.json").read_text("utf-8"))["sets"]
    quality = load_scale("quality").model_copy(update={"sets_by_model": {}})
    sets = quality.anchor_sets | {
        f"exemplar-{number}": tuple(anchors) for number, anchors in enumerate(written)
    }
    quality = quality.model_copy(update={"anchor_sets": sets})
    for rated in (review_sentences(), *further_sets()):
        some = first(rated, options.texts)
        yield some.texts, mapped(some.mean, (LOWEST, HIGHEST), quality), with_most(quality, options.sets)


def mapped(means, ends, scale):
    low, high = scale.values[[0, -1]]
    return low + (np.asarray(means) - ends[0]) / (ends[1] - ends[0]) * (high - low)


def with_most(scale, most):
    return of_sets(scale, dict(list(scale.anchor_sets.items())[:most]))


def of_sets(scale, sets):
    return scale.model_copy(update={"anchor_sets": sets})


def parts_of(scale, rng):
    """Yield scales of one set and of three, each with the sets that it does not have, in random order."""
    names = list(scale.anchor_sets)
    chosen = [[name] for name in names]
    if len(names) > 3:
        chosen += [rng.choice(names, 3, replace=False).tolist() for _ in range(THREES)]
    for some in chosen:
        rest = [scale.anchor_sets[name] for name in names if name not in some]
        if rest:
            yield (
                of_sets(scale, {name: scale.anchor_sets[name] for name in some}),
                [rest[row] for row in rng.permutation(len(rest))],
            )


def spoiled(scale, others, rng):
    """Yield scales with a shuffled set, or with a set of another construct."""
    names = list(scale.anchor_sets)
    for number in range(SPOILED):
        some = rng.choice(names, min(3, len(names)), replace=False).tolist()
        sets = {name: scale.anchor_sets[name] for name in some}
        if number % 2:
            foreign = others[rng.integers(len(others))]
            sets["spoiled"] = list(foreign.anchor_sets.values())[rng.integers(len(foreign.anchor_sets))]
        else:
            kept = sets.pop(some[-1])
            sets["spoiled"] = tuple(kept[point] for point in rng.permutation(len(kept)))
        if len({len(anchors) for anchors in sets.values()}) == 1 and len(sets) > 1:
            yield of_sets(scale, sets), []


def followed(before, unused, embedder):
    """Yield the kind of each finding, and the scale after its advice was followed."""
    seen = set()
    for finding in lint(before, embedder=embedder).findings:
        kind = kind_of(finding)
        if (kind, finding.anchor_set) in seen:
            continue
        seen.add((kind, finding.anchor_set))
        for after in changed(before, finding, kind, unused):
            left = {(kind_of(entry), entry.anchor_set) for entry in lint(after, embedder=embedder).findings}
            if kind == "one set" or (kind, finding.anchor_set) not in left:
                yield kind, after
                break


def kind_of(finding):
    kinds = {
        "order": "order of its own anchors" if "its own" in finding.reason else "order of others' anchors",
        "agreement": "one set",
    }
    if finding.criterion == "agreement" and finding.anchor_set:
        return "contradicts, advised" if finding.advice else "contradicts"
    return kinds.get(finding.criterion, finding.criterion)


def changed(scale, finding, kind, unused):
    """Yield scales with one change that could remove a finding."""
    sets = dict(scale.anchor_sets)
    if kind.startswith("contradicts"):
        yield of_sets(scale, {name: anchors for name, anchors in sets.items() if name != finding.anchor_set})
    elif kind == "one set" and len(sets) == 1:
        yield of_sets(scale, sets | {"another": unused[0]})
    elif finding.anchor_set is not None:
        for sentence in sentences_of(scale, finding):
            point = sets[finding.anchor_set].index(sentence)
            yield from (
                of_sets(
                    scale, sets | {finding.anchor_set: exchanged(sets[finding.anchor_set], other, [point])}
                )
                for other in unused
            )
    elif kind == "length":
        name = next(name for name in sets if repr(name) in finding.reason)
        longest = max(range(len(sets[name])), key=lambda point: len(sets[name][point]))
        yield from (
            of_sets(scale, sets | {name: exchanged(sets[name], other, [longest])}) for other in unused
        )
    elif kind == "dead point":
        points = [point for point, label in enumerate(scale.labels) if repr(label) in finding.reason]
        for start in range(len(unused)):
            yield of_sets(
                scale,
                {
                    name: exchanged(anchors, unused[(start + number) % len(unused)], points)
                    for number, (name, anchors) in enumerate(sets.items())
                },
            )


def exchanged(anchors, other, points):
    return tuple(other[point] if point in points else anchor for point, anchor in enumerate(anchors))


def agreement(scale, vectors, human, embedder):
    """Return Pearson's r with people, and the error of the mean."""
    anchors = np.array([embedder.embed(anchors).vectors for anchors in scale.anchor_sets.values()])
    means = combined_ratings(vectors, anchors, values=scale.values).pmf @ scale.values
    return np.corrcoef(means, human)[0, 1], abs(means.mean() - human.mean())


if __name__ == "__main__":
    main()
