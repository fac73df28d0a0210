"""Tables in, tables out, in parts that are never torn."""
