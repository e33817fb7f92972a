"""Assignors (`aiokafka.coordinator.assignors`)."""
