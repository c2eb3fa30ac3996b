//! The HTTP service of doublet and its web page.
//!
//! A [`Server`] owns one [`LiveIndex`](doublet::index::LiveIndex), and answers requests about it. `listen` takes connections and guards them by
//! time-outs, `service` takes one request through its checks (`origin`, `tokens`, `limits`) to a file of `routes`, which decodes what is
//! asked (`wire`, `query`), calls the library and encodes the answer. What goes wrong is a `problem`. `metrics`, `history` and `log` tell
//! what happened; neither texts nor ids are among it.

mod answer;
mod app;
mod body;
mod history;
#[doc(hidden)]
pub mod inside;
mod limits;
mod listen;
mod log;
mod metrics;
mod openapi;
mod options;
mod origin;
mod problem;
mod query;
mod request_id;
mod route;
mod routes;
mod server;
mod service;
mod survey;
mod timed;
mod tls;
mod tokens;
mod unpack;
mod wire;

pub use options::{LogFormat, LogOptions, LogRequests, LogSink, ServeOptions, TlsFiles};
pub use server::{Error, Server, serve};
