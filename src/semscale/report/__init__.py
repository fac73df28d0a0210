"""Results as pictures, tables and self-contained HTML pages."""
