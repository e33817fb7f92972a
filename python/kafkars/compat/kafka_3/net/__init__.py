"""Names that programs import from `kafka.net`; connections are the engine's."""
