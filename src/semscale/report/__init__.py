"""Reports: summaries become documents, which are rendered for screens, HTML, Markdown and workbooks."""
