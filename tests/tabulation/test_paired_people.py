"""People of several waves."""

import polars as pl

from semscale.tabulation.crosstabs import crosstabs
from semscale.tabulation.paired_people import pair_notes, unpaired_notes


def people(ids, waves):
    return pl.DataFrame({"person_id": ids, "wave": waves})


def test_people_twice_in_a_wave_are_counted():
    frame = people(["a", "a", "b", "a", "b", "c", "c", "c"], [1, 1, 1, 2, 2, 2, 2, 2])
    (note,) = pair_notes(frame, "wave", "person_id")
    assert note.startswith("pair_by: 2 people are in a wave more than once, such as 'a' in wave '1' (2 rows)")


def test_pairs_without_anybody_in_two_waves_are_said():
    (note,) = pair_notes(people(["a", "b", None], [1, 2, 2]), "wave", "person_id")
    assert "nobody in 'person_id' is in two waves" in note


def test_good_pairs_need_no_word():
    assert pair_notes(people(["a", "b", "a"], [1, 1, 2]), "wave", "person_id") == []


def test_waves_that_share_ids_are_said():
    (note,) = unpaired_notes(people(["a", "b", "a", "c"], [1, 1, 2, 2]), "wave")
    assert "one value of 'person_id' is in several waves" in note
    (note,) = unpaired_notes(people(["a", "b", "a", "b"], [1, 1, 2, 2]), "wave")
    assert "2 values of 'person_id' are in several waves" in note
    assert "--pair-by person_id" in note
    assert unpaired_notes(people(["a", "b", "c", "d"], [1, 1, 2, 2]), "wave") == []
    assert unpaired_notes(people(["a", "a", "a", "b"], [1, 1, 2, 2]), "wave") == []  # no ids of people
    twice = people([*range(50), *range(50), 0], [1] * 50 + [2] * 51)
    assert "50 values" in unpaired_notes(twice, "wave")[0]


def test_tables_of_files_say_it(tmp_path):
    frame = people([0, 1, 2, 0, 1, 2], [1, 1, 1, 2, 2, 2]).with_columns(q=pl.Series([1, 2, 3, 2, 3, 3]))
    frame.write_csv(tmp_path / "waves.csv")
    for data in (frame, tmp_path / "waves.csv"):
        made = crosstabs(data, questions=["q"], wave="wave", min_base=2)
        assert any("3 values of 'person_id' are in several waves" in note for note in made.sample_notes)
        paired = crosstabs(data, questions=["q"], wave="wave", pair_by="person_id", min_base=2)
        assert paired.sample_notes == ()
    twice = crosstabs(
        pl.concat([frame, frame[:1]]), questions=["q"], wave="wave", pair_by="person_id", min_base=2
    )
    assert "1 person is in a wave more than once" in twice.sample_notes[0]
