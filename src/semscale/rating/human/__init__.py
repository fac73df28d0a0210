"""Human ratings, and agreement of ratings with them."""
