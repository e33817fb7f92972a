"""Names that programs import from `kafka.net.sasl`; logins are the engine's."""
