"""Edit distances: what would have to change to make one tree of another."""

from treekernels.distance.edit_distance import EditDistance, edit_distance
from treekernels.distance.kernel import EditDistanceKernel
from treekernels.distance.script import EditScript, EditStep, edit_script

__all__ = [
    "EditDistance",
    "EditDistanceKernel",
    "EditScript",
    "EditStep",
    "edit_distance",
    "edit_script",
]
