"""Which readout applies."""

import pytest

from semscale.errors import InputError
from semscale.rating.readouts.readout_choice import DEFAULT_READOUT, chosen_readout


@pytest.mark.parametrize(
    ("readout", "semantics", "chosen"),
    [
        (None, "safe", DEFAULT_READOUT),
        ("ssr", "safe", "ssr"),
        ("ordinal", "safe", "ordinal"),
        # The published equation is SSR's, whatever the default is.
        (None, "paper", "ssr"),
        (None, "guide", "ssr"),
        ("ssr", "paper", "ssr"),
    ],
)
def test_the_semantics_of_the_paper_mean_ssr(readout, semantics, chosen):
    assert chosen_readout(readout, semantics) == chosen


@pytest.mark.parametrize("semantics", ["paper", "guide"])
def test_ordinal_does_not_follow_the_equation_of_the_paper(semantics):
    with pytest.raises(InputError, match=f"semantics='{semantics}' belongs to readout='ssr'"):
        chosen_readout("ordinal", semantics)


@pytest.mark.parametrize("readout", ["ordnal", 3, ["ssr"], ""])
def test_an_unknown_readout_is_refused(readout):
    with pytest.raises(InputError, match="readout must be 'ssr' or 'ordinal', got "):
        chosen_readout(readout, "safe")
