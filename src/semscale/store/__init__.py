"""Reading and writing of tables, and storage of finished parts of long runs."""
