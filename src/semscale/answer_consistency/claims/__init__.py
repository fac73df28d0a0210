"""Claims of long answers: each judged by samples of the same answer, or by passages that should back it."""
