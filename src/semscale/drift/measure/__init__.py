"""How far a candidate's outputs lie from the baseline's."""
