"""Charts: Vega-Lite specifications made with Altair for a width in pixels, and their drawings as SVG."""
