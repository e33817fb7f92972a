"""The security matrix: ways to log in x faults x brokers x calls x sync and asyncio, with outcome and time."""
