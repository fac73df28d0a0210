"""The workbench: a local web application that opens a survey, describes it and measures its open answers."""
