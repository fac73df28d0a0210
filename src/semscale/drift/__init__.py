"""Quality drift: a candidate's outputs beside an approved baseline's, and the gate between them."""
