"""The documents of linted scales, and of scales as they are."""
