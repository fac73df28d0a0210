"""Documents of judging: a judged table, and an audit of a judge."""
