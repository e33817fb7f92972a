"""The aiokafka face and aiokafka itself, side by side on one broker."""
