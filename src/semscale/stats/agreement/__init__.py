"""Agreement of raters and measurements: correlation, kappa, alpha, intraclass correlation."""
