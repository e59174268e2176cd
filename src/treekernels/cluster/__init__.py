"""What runs on a Dask cluster; its public name is `treekernels.dask`.

Partitions are forests, or tables with columns of them, that stay on the workers. The client sends
small tasks and small models, and gets small models back.
"""
