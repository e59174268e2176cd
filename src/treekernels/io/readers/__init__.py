"""Readers, one small file per format. Their public names are in `treekernels.readers`."""
