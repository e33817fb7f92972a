"""Wrong arguments, settings, addresses and states: the error has the right type, comes at once and has no side
effect."""
