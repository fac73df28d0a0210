from pathlib import Path

import polars as pl
import pytest
from tests.distributed.conftest import N

from semscale.distributed.datasets import EmbeddingRecipe, measure_dataset
from semscale.embedding import load_embedder
from semscale.embedding.table import EmbeddingColumns
from semscale.errors import InputError
from semscale.matching.matcher import Matcher
from semscale.rating.rater import Rater

pytestmark = pytest.mark.needs("ray")


@pytest.fixture
def rows(answers):
    return pl.read_parquet(answers / "in" / "*.parquet").sort("id")


def read_and_done(add):
    """Let Ray read the partitions with tasks of its own, and collect what was added, in the order of ids."""
    import ray.data

    blocks = ray.get(add(ray.data.read_parquet(str(Path("in").absolute()))).to_arrow_refs())
    frames = [pl.DataFrame(pl.from_arrow(block)) for block in blocks]
    return pl.concat(frames, how="vertical_relaxed").sort("id")


def test_ratings_are_those_of_a_single_process_next_to_reading_tasks(connection, here, rows):
    from semscale import distributed

    settings = {"floor": None, "language": None}
    model = distributed.ModelRecipe("model", cache=False)
    output = read_and_done(
        lambda dataset: distributed.rate(dataset, "scale.yaml", text="text", embedder=model, **settings)
    )
    rater = Rater("scale.yaml", embedder=load_embedder("model", cache=False), **settings)
    expected = rater.rate(rows["text"]).to_frame().rename(lambda name: f"semscale_{name}")
    assert output.height == N
    assert output.columns == [*rows.columns, *expected.columns]
    assert output.select(expected.columns).equals(expected)


def test_vectors_are_those_of_a_single_process(connection, here, rows):
    from semscale import distributed

    output = read_and_done(
        lambda dataset: distributed.embed(
            dataset, "text", embedder="model", pool=distributed.ActorPool(actors=1)
        )
    )
    read = [text for text in rows["text"] if text]
    expected = load_embedder("model", cache=False).embed(read).vectors
    scored = output.filter(pl.col("semscale_status") == "scored")
    assert scored["semscale_vector"].to_numpy().tobytes() == expected.tobytes()
    assert output.filter(pl.col("semscale_vector").is_null())["id"].to_list() == [11, 17]


def test_matches_are_those_of_a_single_process(connection, here, rows):
    from semscale import distributed

    columns = {"prediction": "text", "reference": "meant"}
    output = read_and_done(
        lambda dataset: distributed.match(
            dataset,
            **columns,
            method="cosine",
            embedder="model",
            pool=distributed.ActorPool(actors=1),
        )
    )
    matcher = Matcher("cosine", embedder=load_embedder("model", cache=False))
    expected = matcher.match(rows["text"], rows["meant"])
    assert output["semscale_score"].to_list() == expected.to_frame()["score"].to_list()


def test_rows_that_always_end_their_process_end_the_dataset(connection, here):
    import ray.data
    from ray import cloudpickle
    from tests.support import disturbed_recipe

    from semscale import distributed

    model = distributed.ModelRecipe(str(Path("model").absolute()), cache=False)
    recipe = EmbeddingRecipe(model, EmbeddingColumns(text="text"))
    deadly = disturbed_recipe.Disturbed(recipe, here, deadly=0)  # as every batch of a dataset begins
    dataset = ray.data.from_items([{"text": "good"}] * 3, override_num_blocks=1)
    cloudpickle.register_pickle_by_value(disturbed_recipe)
    try:
        output = measure_dataset(dataset, deadly, distributed.ActorPool(actors=1))
        with pytest.raises(Exception, match="process that worked on 3 rows of the dataset ended 4 times"):
            output.materialize()
    finally:
        cloudpickle.unregister_pickle_by_value(disturbed_recipe)


def test_settings_that_actors_cannot_apply_are_refused_at_once(here):
    from semscale import distributed

    columns = {"prediction": "text", "reference": "meant"}
    with pytest.raises(InputError, match=r"corpus must be given for method 'calibrated' on a dataset"):
        distributed.match(None, **columns, embedder="model")
    with pytest.raises(InputError, match=r"embedder must name a model on a cluster"):
        distributed.embed(None, "text", embedder=load_embedder("model", cache=False))
