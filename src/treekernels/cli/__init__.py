"""The command ``treekernels``: one small file for each of its commands."""
