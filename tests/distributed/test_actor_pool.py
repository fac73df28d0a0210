import pytest

from semscale.distributed.actor_pool import ActorPool
from semscale.errors import InputError


def test_each_processor_has_an_actor():
    # 4 + 2, and a node without processors runs none.
    assert ActorPool().size([{"CPU": 4.0}, {"CPU": 2.0}, {"memory": 1e9}]) == 6


def test_an_actor_stays_on_one_node():
    # Of 6 and 3 processors, actors of 4 fit once: the 2 and 3 left over are on different nodes.
    assert ActorPool(cpus=4).size([{"CPU": 6}, {"CPU": 3}]) == 1


def test_gpus_bound_the_actors():
    assert ActorPool(gpus=0.5).size([{"CPU": 16, "GPU": 2}, {"CPU": 8}]) == 4


def test_a_number_that_is_given_counts():
    assert ActorPool(actors=3).size([{"CPU": 8}]) == 3


def test_who_asks_for_one_processor_reads_of_one():
    with pytest.raises(InputError, match="has 1 processor for an actor"):
        ActorPool().size([{"memory": 1e9}])


def test_nodes_without_a_gpu_are_told_apart():
    assert ActorPool(gpus=1).fits({"CPU": 4, "GPU": 1})
    assert not ActorPool(gpus=1).fits({"CPU": 4})


def test_no_room_is_refused():
    with pytest.raises(InputError, match="has 8 processors and 1 GPU for an actor"):
        ActorPool(cpus=8, gpus=1).size([{"CPU": 4, "GPU": 1}])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"actors": 0}, "actors must be at least 1, got 0"),
        ({"cpus": 0}, "cpus must be at least 1, got 0"),
        ({"gpus": -1}, "gpus must be at least 0, got -1"),
        ({"gpus": float("nan")}, "gpus must be at least 0, got nan"),
        ({"gpus": 1.5}, "gpus must be a whole number above 1, got 1.5"),
    ],
)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        ActorPool(**settings)


@pytest.mark.needs("ray")
def test_actors_book_half_of_what_they_use():
    arguments = ActorPool(cpus=4, gpus=1).arguments(5)
    assert (arguments["num_cpus"], arguments["num_gpus"]) == (2.0, 1)
    assert set(arguments["runtime_env"]["env_vars"].values()) == {"4"}
    assert "num_gpus" not in ActorPool().arguments(1)


@pytest.mark.needs("ray")
def test_a_whole_processor_is_left_to_readers():
    # Two actors book 1 of 2 processors; on nodes with 1, a half is left, which serves no reader.
    assert ActorPool().arguments_beside_readers([{"CPU": 1}, {"CPU": 2}])["num_cpus"] == 0.5
    alone = ActorPool().arguments_beside_readers([{"CPU": 1}, {"CPU": 1}])
    assert (alone["num_cpus"], alone["compute"].min_size, alone["compute"].max_size) == (0, 1, 2)
