//! The broker as a client sees it: bytes over real sockets.

mod acls;
mod acls_of_groups;
mod administration;
mod cleanup;
mod configs;
mod configs_honoured;
mod conversion;
mod faults;
mod fetch;
mod hostile;
mod levels;
mod lifecycle;
mod list_offsets;
mod logins;
mod members;
mod metadata;
mod mutated;
mod nodes;
mod offsets;

mod patterns;
mod produce;
mod quotas;
mod sessions;
mod shares;
mod support;
mod topics;
mod transaction_ends;
mod transaction_steps;
mod transactional;
mod versions;
