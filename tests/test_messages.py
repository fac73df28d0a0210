from semscale.messages import did_you_mean, nearest_name, nearest_names, unknown_name

KNOWN = ["quality", "trust", "trusty"]


def test_the_nearest_names_come_first_and_far_names_are_absent():
    assert nearest_names("trust", KNOWN, n=3) == ["trust", "trusty"]
    assert nearest_names("trust", KNOWN, n=1) == ["trust"]
    assert nearest_name("zzz", KNOWN) is None


def test_the_similarity_threshold_decides_on_near_names():
    # "ab" and "bcd" share "b": 2 * 1 / (2 + 3) = .4
    assert nearest_name("ab", ["bcd"], alike=0.4) == "bcd"
    assert nearest_name("ab", ["bcd"], alike=0.41) is None


def test_a_message_suggests_only_near_names():
    assert did_you_mean("qualty", KNOWN) == "; did you mean 'quality'?"
    assert did_you_mean("zzz", KNOWN) == ""


def test_an_unknown_name_is_compared_without_its_case():
    assert str(unknown_name("scale", "TRUST", KNOWN)).startswith(
        "unknown scale 'TRUST': did you mean 'trust'?"
    )
