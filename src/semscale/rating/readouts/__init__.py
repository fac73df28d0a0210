"""How cosines with anchors become a rating: SSR and the ordinal readout."""
