"""Rankings of competitors from paired comparisons."""
