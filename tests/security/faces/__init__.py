"""TLS and SASL through the faces: the same program on the face and on the library that it stands in for, on real
Kafka."""
