//! A broker refuses every request of a consumer, with every code that Kafka documents for it and with one that Kafka
//! does not have: once, for a while, and by closing the connection. The consumer goes on by itself, loses no seek and
//! no pause, and keeps the pace of its retries.

mod cases;
mod changes;
mod others;
mod peer;
mod scene;
