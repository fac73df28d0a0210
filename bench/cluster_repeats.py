"""When embedding equal texts once in a cluster pays: processor seconds with and without, by share of repeats.

Usage: ``python bench/cluster_repeats.py [--texts 4000] [--part-rows 500] [--turns 1] [--shares 0 0.5]``

Each part of a table has distinct texts; a share of all texts are copies of those of other parts. Both ways
work on a local cluster without a cache and give the same vectors. Processor seconds are those of the process
and of all that it has started, once all actors are at work. From the table without copies follows what a
text costs to be sent to its owner and back; beside what it costs to be embedded, that is the share of saved
embeddings from which sharing pays.
"""

import statistics
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from cluster import WORDS, timed, warm_parts
from measuring import Options
from semscale.distributed.cluster import connected
from semscale.distributed.cluster_parts import ClusterParts
from semscale.distributed.recipes import EmbeddingRecipe, ModelRecipe
from semscale.distributed.text_repeats import WORTH
from semscale.embedding import load_embedder
from semscale.embedding.embedder import processors
from semscale.embedding.file_embedding import EmbeddingWork
from semscale.store.reading import open_table
from semscale.weights.known import DEFAULT_MODEL


def write_texts(path, n, share):
    """Write n texts of 8 to 24 words, of which a share stands elsewhere, too; rows are mixed."""
    rng = np.random.default_rng(0)
    distinct = round(n * (1 - share))
    texts = [f"{row} " + " ".join(rng.choice(WORDS, rng.integers(7, 24))) for row in range(distinct)]
    texts += [texts[place] for place in rng.integers(0, distinct, n - distinct)]
    pl.DataFrame({"text": rng.permutation(np.array(texts, object)).tolist()}).write_parquet(path)


def main():
    """Print a line for each share, and the share from which sharing pays."""
    parser = Options(__doc__)
    parser.add_size("--texts", 4000, quick=200)
    parser.add_size("--part-rows", 500, quick=50)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_size("--shares", [0, 0.1, 0.25, 0.5, 0.75], quick=[0.0])
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--precision", default="fast")
    options = parser.parse_args()
    print(
        f"{options.texts} texts in parts of {options.part_rows}, {processors()} processors, {options.model}"
    )
    spent = {}
    with tempfile.TemporaryDirectory() as folder, connected("local"):
        for share in options.shares:
            file = Path(folder, f"{share}.parquet")
            write_texts(file, options.texts, share)
            both = {way: [] for way in ("never", "always")}
            for _ in range(options.turns):
                for way, found in both.items():
                    found.append(measured(open_table(file), way, options))
            same = all((a[1] == b[1]).all() for a, b in zip(*both.values(), strict=True))
            spent[share] = [1000 * statistics.median(turn[0] for turn in turns) for turns in both.values()]
            alone, shared = spent[share]
            print(
                f"{share:.0%} copies: ms of a processor for a text: {alone:.2f} where each part embeds its "
                f"own, {shared:.2f} where equal texts are embedded once; equal to the last bit: "
                f"{'yes' if same else 'no'}"
            )
    alone, shared = spent[options.shares[0]]
    print(f"sending costs {shared - alone:.2f} ms a text: it pays from {max(0, shared - alone) / alone:.0%}")
    print(f"of saved embeddings on; the rule takes {WORTH:.0%}")


def measured(table, way, options):
    """Embed a table: processor seconds for a text, and the vectors."""
    model = ModelRecipe(options.model, options.precision, cache=False)
    embedder = load_embedder(options.model, precision=options.precision, cache=False)
    work = EmbeddingWork(table, "text", embedder, "float32", None)
    makers = ClusterParts(EmbeddingRecipe(model, "text"), sharing=way)
    _, a_second, _, vectors = timed(
        makers.parts(work, table, options.part_rows, 0), warm_parts(options.texts, options.part_rows)
    )
    return 1 / a_second, vectors


if __name__ == "__main__":
    main()
