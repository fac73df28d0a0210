"""The grammar of replies: words in classes, and patterns over classes that say what a number or a name is."""
