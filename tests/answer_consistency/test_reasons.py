import semscale
from semscale.types import Status


def test_reasons_count_the_samples_that_are_there_and_needed():
    found = semscale.consistency(
        ["a", "a", "a", " ", 5, None],
        [["a", "a"], ["a", None], [], ["a"], ["a"], ["a"]],
        measures=["exact_match"],
        fewest_samples=2,
    )
    assert found.reasons == (
        None,
        "1 sample is usable, 2 needed",
        "no sample is usable, 2 needed",
        "the answer is empty",
        "the answer is not a text",
        "the answer is missing",
    )
    assert found[found.status == Status.EMPTY].reasons == ("the answer is empty",)
    assert found.to_frame()["reason"].to_list() == list(found.reasons)
