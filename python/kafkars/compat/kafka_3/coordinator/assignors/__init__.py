"""Assignors (`kafka.coordinator.assignors`)."""
