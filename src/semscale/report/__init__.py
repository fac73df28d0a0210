"""Reports: summaries as documents, and documents as screens, pages, Markdown, workbooks and pictures."""
