"""Wrong arguments, settings, addresses and states: the error is typed, comes at once and leaves nothing behind."""
