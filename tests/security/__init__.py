"""TLS, SASL and ACLs: with real Kafka, with the embedded broker, and with peers that hang or send wrong bytes."""
