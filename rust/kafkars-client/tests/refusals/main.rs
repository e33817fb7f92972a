//! Every request of the fetch path is refused, with every code that Kafka documents for it and with one that it does
//! not: once, for a while, and by a lost connection. The consumer goes on by itself, forgets nothing that it was asked,
//! and keeps its pace.

mod cases;
mod changes;
mod others;
mod peer;
mod scene;
