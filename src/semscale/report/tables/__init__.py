"""Crosstabs as a document, a workbook and slides."""
