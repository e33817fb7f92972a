"""Groups (`kafka.coordinator`)."""
