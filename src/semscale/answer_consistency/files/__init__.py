"""Tables of answers and samples, and how they are measured part by part."""
