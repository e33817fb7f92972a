"""The whole matrix of security: ways to be let in x faults x brokers x calls x flavours, with outcome and time."""
