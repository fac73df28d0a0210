"""Tables of answers and samples, measured part by part."""
