"""Tables of a survey: questions by groups of respondents, with intervals, tests and bases."""
