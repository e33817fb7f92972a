"""Names that programs import from `kafka.sasl`; logins themselves are the engine's."""
