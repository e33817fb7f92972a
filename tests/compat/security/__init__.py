"""Settings of TLS and SASL of the faces, without a broker: each is honoured, or refused by name with the reason."""
