"""Ratings of files of any size, part by part."""
