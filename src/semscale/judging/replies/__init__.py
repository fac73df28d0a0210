"""Reading a judge's replies: one score stated beyond doubt, or none."""
