//! What a specification does as a server, it accepts as a judge: with one client or several, over each network, and at random.

mod networks;
mod one_client;
mod random_servers;
mod several_clients;
pub mod tasks;
