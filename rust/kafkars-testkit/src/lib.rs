//! Scripted peers, captured frames and generators for the tests of the other crates
#![forbid(unsafe_code)]
