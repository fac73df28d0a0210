"""Choice of texts for people to label, and the sheet that they get."""
