"""Assignors by name (`kafka.coordinator.assignors`): the work is done by the engine's."""
