"""Human ratings, and how well ratings agree with them."""
