//! Takes connections, as many as allowed, and serves each until it ends, is too slow, or the service ends.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use crate::app::App;
use crate::log::Level;
use crate::metrics::count;
use crate::service::respond;
use crate::timed::{Phase, Timed};
use crate::tls::Tls;

/// The most of a head that is read at all. What is above the limit of `service`, but below this, is refused in words.
const BUFFER: usize = 32 << 10;
/// Connections that are told that there are too many, at a time; others are closed without a word.
const REFUSING: usize = 64;
const REFUSAL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// Takes connections until `ending` says to stop, then waits for those that are open.
pub(crate) async fn listen(
    listener: TcpListener,
    tls: Option<Arc<Tls>>,
    app: Arc<App>,
    mut ending: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(app.options.max_connections));
    let refusing = Arc::new(Semaphore::new(REFUSING));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = ending.wait_for(|ending| *ending) => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Most likely there are too many open files; some will be closed soon.
                let fields = &[("reason", &*error.to_string())];
                app.log.event(Level::Error, "connection not taken", fields);
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            count(&app.metrics.connections_refused, 1);
            if let (Ok(place), None) = (Arc::clone(&refusing).try_acquire_owned(), &tls) {
                tokio::spawn(async move {
                    refuse(stream).await;
                    drop(place);
                });
            }
            continue;
        };
        count(&app.metrics.connections, 1);
        let (app, tls, ending) = (Arc::clone(&app), tls.clone(), ending.clone());
        tokio::spawn(async move {
            count(&app.metrics.connections_open, 1);
            serve_connection(stream, tls, &app, ending).await;
            app.metrics
                .connections_open
                .fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
            drop(place);
        });
    }
    drop(listener);
    let most = u32::try_from(app.options.max_connections).unwrap_or(u32::MAX);
    let _all_closed = tokio::time::timeout(app.options.grace, places.acquire_many(most)).await;
}

async fn serve_connection(
    stream: TcpStream,
    tls: Option<Arc<Tls>>,
    app: &Arc<App>,
    ending: watch::Receiver<bool>,
) {
    let _slower = stream.set_nodelay(true);
    let Some(tls) = tls else {
        return serve_stream(stream, app, ending).await;
    };
    let accepting = tls.acceptor().accept(stream);
    let accepted = tokio::time::timeout(app.options.header_timeout, accepting).await;
    if let Ok(Ok(stream)) = accepted {
        serve_stream(stream, app, ending).await;
    }
}

async fn serve_stream(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    app: &Arc<App>,
    mut ending: watch::Receiver<bool>,
) {
    let phase = Phase::new();
    let stream = TokioIo::new(Timed::new(stream, phase.clone(), &app.options));
    let service = service_fn(|request| {
        let working = phase.work();
        async move {
            let reply = respond(app, request).await;
            drop(working);
            Ok::<_, Infallible>(reply)
        }
    });
    let connection = http1::Builder::new()
        .max_buf_size(BUFFER)
        .header_read_timeout(None)
        .half_close(true)
        .serve_connection(stream, service);
    let mut connection = pin!(connection);
    let mut told = false;
    loop {
        tokio::select! {
            _ended = &mut connection => return,
            _ = ending.wait_for(|ending| *ending), if !told => {
                connection.as_mut().graceful_shutdown();
                told = true;
            }
        }
    }
}

/// Says that there are too many connections, and waits a moment for the other side to read it.
async fn refuse(mut stream: TcpStream) {
    let telling = async {
        stream.write_all(REFUSAL).await?;
        stream.shutdown().await?;
        let mut rest = [0; 1024];
        while stream.read(&mut rest).await? > 0 {}
        std::io::Result::Ok(())
    };
    let _told = tokio::time::timeout(Duration::from_secs(1), telling).await;
}
