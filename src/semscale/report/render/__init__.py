"""Renderers: one module turns any document into a screen, a page, Markdown, a workbook or picture files."""
