"""The few requests and answers of aiokafka's protocol that programs hold in their hands (`aiokafka.protocol`)."""
