//! Live testing: requests that are made, servers that are tested and watched, and what is reported of it.

mod campaign_reports;
mod causes;
mod closing;
mod configuration;
mod correct;
mod duties;
mod ends;
mod generate;
mod generate_block;
mod peers;
mod quorums;
mod requests;
mod tested;
pub mod testing;
mod watch;
