"""Reading and writing of tables, and storage of the finished parts of long runs."""
