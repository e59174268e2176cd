"""Searches for the fragments of a model that weigh most, one file for each kind of fragment."""
