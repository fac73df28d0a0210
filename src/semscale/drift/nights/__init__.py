"""Nights: runs against one baseline in the order of time, their noise, evidence and trend."""
