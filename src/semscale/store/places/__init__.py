"""Places of tables beyond this machine's files: URLs, folders of partitions, and what is said about them."""
