//! The routes: each decodes what is asked, calls the library and encodes the answer.

mod check;
mod clusters;
mod compare;
mod documents;
mod operations;
mod page;
mod stats;
pub(crate) mod stream;

use std::panic::{AssertUnwindSafe, catch_unwind};

use doublet::index::{Outcome, Write, WriteError};
use hyper::Method;
use tokio::sync::oneshot;

use crate::answer::Reply;
use crate::app::App;
use crate::problem::{self, Problem};
use crate::route::Route;
use crate::service::Call;

/// Bodies of at most so many bytes are worked on by the thread that read them.
const SMALL: usize = 64 << 10;

/// Hands a request to its route.
pub(crate) async fn dispatch(mut call: Call<'_>, route: Route) -> Result<Reply, Problem> {
    let method = match call.head.method.clone() {
        Method::HEAD => Method::GET,
        other => other,
    };
    match (route, method) {
        (Route::Unknown, _) => {
            let detail = "`/reference` says what there is";
            Err(Problem::new(problem::NOT_FOUND, detail))
        }
        (Route::Check, Method::POST) => check::check(&mut call).await,
        (Route::Compare, Method::POST) => compare::compare(&mut call).await,
        (Route::Documents, Method::POST) => documents::add(&mut call).await,
        (Route::Documents, Method::GET) => documents::list_or_get(&call).await,
        (Route::Documents, Method::DELETE) => documents::remove(&call).await,
        (Route::Document, Method::GET) => documents::get(&call).await,
        (Route::Document, Method::DELETE) => documents::remove(&call).await,
        (Route::Clusters, Method::GET) => clusters::list(&call).await,
        (Route::Cluster, Method::GET) => clusters::one(&call).await,
        (Route::Stats, Method::GET) => stats::stats(&call).await,
        (Route::Health, Method::GET) => operations::health(&call),
        (Route::Ready, Method::GET) => operations::ready(&call),
        (Route::Metrics, Method::GET) => operations::metrics(&call),
        (Route::OpenApi, Method::GET) => operations::openapi(&call),
        (Route::Page, Method::GET) => page::file(&call),
        _ => Err(Problem::method(route.methods())),
    }
}

/// Runs work that takes longer, where it keeps nobody waiting.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| panicked())
}

/// Runs work here; should it panic, only this request fails.
pub(crate) fn here<T>(work: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    let done = catch_unwind(AssertUnwindSafe(work));
    done.unwrap_or_else(|_| Err(panicked()))
}

/// That the work of a request panicked. The message is not repeated, for it may hold a text.
fn panicked() -> Problem {
    Problem::failed("a request panicked")
}

/// Makes a change and waits until it is safe on disk.
async fn submit(app: &App, write: Write) -> Result<Vec<Outcome>, Problem> {
    let (send, receive) = oneshot::channel();
    app.index.submit(write, move |written| {
        let _gone = send.send(written);
    });
    let written = receive.await.unwrap_or(Err(WriteError::Closed));
    written.map_err(|error| not_written(app, &error))
}

/// Why a change was not made.
fn not_written(app: &App, error: &WriteError) -> Problem {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    match error {
        WriteError::Busy => Problem::overloaded(
            "too many changes wait already: try again after `Retry-After` seconds",
        ),
        WriteError::Full { most } => {
            let detail = format!(
                "the service takes at most {most} documents: remove some, or start it with a larger `--max-documents`"
            );
            Problem::new(problem::FULL, detail).with("limit", *most)
        }
        WriteError::Closed => Problem::new(
            problem::ENDING,
            "the service is ending: try again when it is back",
        ),
        WriteError::Failed(doublet::Error::Io { cause, .. })
            if matches!(cause.kind(), StorageFull | QuotaExceeded | FileTooLarge) =>
        {
            let detail = "the disk of the service is full, and nothing was changed: make room, and try again";
            Problem::new(problem::FULL, detail).because(cause)
        }
        WriteError::Failed(error) if app.index.figures().read_only => {
            let detail = "the disk of the service failed: it answers, but changes nothing until it is started again";
            Problem::new(problem::READ_ONLY, detail).because(error)
        }
        WriteError::Failed(error) => Problem::failed(error),
        other => Problem::failed(format!("{other:?}")),
    }
}
