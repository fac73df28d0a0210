import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.testing.change_point import pettitt

# Flow of the Nile at Aswan, 1871-1970, in 1e8 cubic metres (Cobb 1978, doi 10.1093/biomet/65.2.243).
NILE = """1120 1160 963 1210 1160 1160 813 1230 1370 1140 995 935 1110 994 1020 960 1180 799 958 1140
1100 1210 1150 1250 1260 1220 1030 1100 774 840 874 694 940 833 701 916 692 1020 1050 969 831
726 456 824 702 1120 1100 832 764 821 768 845 864 862 698 845 744 796 1040 759 781 865 845 944
984 897 822 1010 771 676 649 846 812 742 801 1040 860 874 848 890 744 749 838 1050 918 986 797
923 975 815 1020 906 901 1170 912 746 919 718 714 740"""


def test_four_ascending_values_by_hand():
    # Ranks 1 to 4: U = 2 - 5, 6 - 10, 12 - 15 = -3, -4, -3, so the change lies after two. |U(2)| = 4 takes
    # {1, 2} or {3, 4} in front, 8 of 24 orders; U(1) and U(3) never exceed 3. p = 1 / 3; of 1,999 orders the
    # share has a standard error of .011.
    change = pettitt(np.array([1.0, 2.0, 3.0, 4.0]))
    assert (change.place, change.before, change.after) == (2, 1.5, 3.5)
    assert change.p_value == pytest.approx(1 / 3, abs=0.04)


def test_the_nile_changed_in_1899():
    flow = np.array(NILE.split(), dtype=np.float64)
    assert len(flow) == 100
    change = pettitt(flow)
    # The well-known change of 1898: 28 years up to then have the higher flow, 1,097.75 on average (Cobb).
    assert change.place == 28
    assert change.before == pytest.approx(1097.75)
    assert change.p_value == 1 / 2000


def test_equal_values_show_no_change():
    assert pettitt(np.full(20, 0.3)).p_value == 1.0


def test_long_series_go_by_the_approximation():
    values = np.random.default_rng(0).normal(size=1000)
    values[600:] += 0.5
    change = pettitt(values)
    assert change.place == pytest.approx(600, abs=30)
    assert change.p_value < 1e-6
    assert pettitt(np.random.default_rng(1).normal(size=1000)).p_value > 0.05


def test_the_seed_decides():
    values = np.random.default_rng(2).normal(size=12)
    assert pettitt(values, seed=4) == pettitt(values, seed=4)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, np.nan]])
def test_refuses_what_has_no_change(values):
    with pytest.raises(InputError, match="at least 2 finite"):
        pettitt(np.array(values))
