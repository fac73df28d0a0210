"""Fit of the weights that combine the evidence for a code, for ``semscale.coding.evidence``.

Run with ``python bench/code_weights.py``. A logistic model of all codes of eight domains, each with the
same total weight, predicts whether a sentence has a code. Answers such as "nothing", which have no code,
count as much as a part of each domain. Weights and threshold are fitted to similarities that do not yet
lose what is nearer to texts without a topic; the figures are with this loss, as in ``semscale code``. The
threshold is the median over domains of the value at which as many codes of answers are assigned as they
have. The second table leaves out one domain after the other, and fits weights and threshold to the rest. A
language model coded the sentences (``bench/data/coded`` and ``examples/coding``); no domain is one that the
figures of ``bench/coding.py`` are about.
"""

import numpy as np
from scipy.optimize import minimize

from coded_domains import WITHOUT_TOPIC, learning_domains
from measuring import Options
from semscale import load_embedder
from semscale.coding.evidence import EQUAL_ERROR, FEATURES, WEIGHTS, EvidenceReader
from semscale.text_units import sentences_in

TOTAL = 700  # weight of each domain
SHARE_WITHOUT_TOPIC = 0.3  # of the weight of a domain
PENALTY = 1.0
THRESHOLDS = np.linspace(-4, 3, 701)


def features_of(codebook, sentences, embedder, *, loses=False):
    """Return the features of m sentences, shape (m, k, 8).

    Args:
        codebook: k codes.
        sentences: m texts.
        embedder: embeds them.
        loses: whether similarity loses what is nearer to texts without a topic.
    """
    units = [sentences_in(text) for text in sentences]
    clauses = [
        [clause.text(text) for unit in sentence for clause in unit.clauses]
        for text, sentence in zip(sentences, units, strict=True)
    ]
    reader = EvidenceReader(codebook, embedder)
    if not loses:
        reader._lack_of_topic = lambda placed, nearness: 0.0
    return reader.read(sentences, clauses).features


def fit_weights(domains, features, without_topic):
    """Fit intercept and weights, with an L2 penalty on standardised weights."""
    parts = [*features, *without_topic]
    codes = [*(domain.codes for domain in domains), *(np.zeros(part.shape[:2]) for part in without_topic)]
    totals = [TOTAL] * len(features) + [SHARE_WITHOUT_TOPIC * TOTAL] * len(without_topic)
    x = np.concatenate([values.reshape(-1, len(FEATURES)) for values in parts])
    y = np.concatenate([part.ravel() for part in codes])
    weight = np.concatenate([
        np.full(part.size, total / part.size) for part, total in zip(codes, totals, strict=True)
    ])  # fmt: skip
    mean, scale = x.mean(axis=0), x.std(axis=0)
    z = (x - mean) / scale

    def loss(parameters):
        logits = parameters[0] + z @ parameters[1:]
        residual = weight * (1 / (1 + np.exp(-logits)) - y)
        value = (weight * (np.logaddexp(0, logits) - y * logits)).sum()
        value += PENALTY / 2 * (parameters[1:] ** 2).sum()
        return value, np.array([residual.sum(), *(z.T @ residual + PENALTY * parameters[1:])])

    fitted = minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B").x
    weights = fitted[1:] / scale
    return np.array([fitted[0] - weights @ mean, *weights])


def logits_of(weights, features):
    return weights[0] + features @ weights[1:]


def equal_error(domain, logits):
    """Return the threshold at which as many codes are assigned as the answers have."""
    values, n = domain.in_answers(logits), domain.in_answers(domain.codes).sum()
    return min(THRESHOLDS, key=lambda threshold: abs((values > threshold).sum() - n))


def f1(true, assigned):
    return 2 * (true * assigned).sum() / (true.sum() + assigned.sum())


def main():
    parser = Options(__doc__)
    parser.add_size("--model", "all-MiniLM-L6-v2", quick="all-MiniLM-L6-v2")
    embedder = load_embedder(parser.parse_args().model)
    domains = learning_domains()
    features = [features_of(domain.codebook, domain.sentences, embedder) for domain in domains]
    final = [features_of(domain.codebook, domain.sentences, embedder, loses=True) for domain in domains]
    empty = [features_of(domain.codebook, WITHOUT_TOPIC, embedder) for domain in domains]
    weights = fit_weights(domains, features, empty)
    threshold = np.median(
        [equal_error(domain, logits_of(weights, x)) for domain, x in zip(domains, features, strict=True)]
    )
    print("weights  ", tuple(weights.round(2).tolist()), "in the module", WEIGHTS)
    print("threshold", round(float(threshold), 2), "in the module", EQUAL_ERROR)
    print(f"\n{'left out':14} sentences  answers  F1 sentences  F1 answers  assigned / true")
    rows = []
    for index, domain in enumerate(domains):
        rest = [other for other in range(len(domains)) if other != index]
        without = fit_weights(*([every[other] for other in rest] for every in (domains, features, empty)))
        cut = np.median([equal_error(domains[other], logits_of(without, features[other])) for other in rest])
        assigned = logits_of(without, final[index]) > cut
        true, of_answers = domain.in_answers(domain.codes), domain.in_answers(assigned)
        rows.append((f1(domain.codes, assigned), f1(true, of_answers), of_answers.sum() / true.sum()))
        print(
            f"{domain.name:14} {len(domain.sentences):9}  {len(true):7}  {rows[-1][0]:12.3f}  "
            f"{rows[-1][1]:10.3f}  {rows[-1][2]:15.2f}"
        )
    means = np.mean(rows, axis=0)
    print(f"{'mean':33} {means[0]:13.3f} {means[1]:11.3f} {means[2]:16.2f}")


if __name__ == "__main__":
    main()
