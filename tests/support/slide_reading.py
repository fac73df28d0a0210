"""Slides read back: titles, texts, notes and charts."""

from lxml import etree
from pptx import Presentation

_NAMES = {
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
}


def slides_of(path):
    """Return the slides of a file."""
    return list(Presentation(str(path)).slides)


def titles_of(path):
    return [title_of(slide) for slide in slides_of(path)]


def title_of(slide):
    """Return the title of a slide, with plain spaces."""
    return slide.shapes.title.text_frame.text.replace("\N{NO-BREAK SPACE}", " ")


def texts_of(slide):
    """Return all texts of a slide in one, with plain spaces."""
    texts = (shape.text_frame.text for shape in slide.shapes if shape.has_text_frame)
    return "\n".join(texts).replace("\N{NO-BREAK SPACE}", " ")


def notes_of(slide):
    return slide.notes_slide.notes_text_frame.text


def charts_of(slide):
    return [shape.chart for shape in slide.shapes if shape.has_chart]


def at(chart, path):
    """Return what a chart's XML has at a path."""
    return etree.XPath(path, namespaces=_NAMES)(etree.fromstring(etree.tostring(chart.element)))


def categories_of(chart):
    return list(chart.plots[0].categories)


def values_of(chart):
    """Return the values of each series by its name."""
    return {series.name: list(series.values) for series in chart.plots[0].series}
