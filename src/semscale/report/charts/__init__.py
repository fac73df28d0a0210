"""Pictures, as Vega-Lite made with Altair for a width in pixels, and their drawings as SVG."""
