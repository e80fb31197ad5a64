"""All kinds of trouble; the modules register them."""

from ..registry import KINDS
from . import kills, interrupts, plans, state, history, disks, limits, streams, terminals, surroundings

__all__ = ["KINDS", "kills", "interrupts", "plans", "state", "history", "disks", "limits", "streams", "terminals",
           "surroundings"]
