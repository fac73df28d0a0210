"""The instruments of the service: ratings, matches and consistency of rows."""
