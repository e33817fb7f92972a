"""The few requests and responses of aiokafka's protocol that programs use themselves (`aiokafka.protocol`)."""
