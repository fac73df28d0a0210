"""The commands ``semscale drift``: a candidate compared with an approved baseline."""
