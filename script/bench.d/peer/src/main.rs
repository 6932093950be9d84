//! Serves two of Fave Games' addresses as it does: the JSON of a platform's ranking, and the page of a
//! list for other sites. What a response shows is read from PostgreSQL each time.
//!
//!     peer FOLDER PORT LOOPS
//!
//! The folder contains the statements, and the header fields of both responses, as Fave Games sends them.
//! It leaves out what these requests don't need: sessions, cursors and conditions in requests, compression,
//! metrics and deadlines. Each loop is a thread with a listener and connections to PostgreSQL of its own.

mod database;
mod fields;
mod list;
mod ranking;

use database::Database;
use fields::{Fields, Limiter};
use hyper::service::{make_service_fn, service_fn};
use hyper::{server::conn::AddrStream, Body, Request, Response, Server, StatusCode};
use std::{convert::Infallible, net::IpAddr, net::SocketAddr, path::Path, sync::Arc, thread};

pub type Failure = Box<dyn std::error::Error + Send + Sync>;

struct Site {
    public_url: String,
    seal: ranking::CursorSeal,
    lists: list::Pages,
    ranking_fields: Fields,
    list_fields: Fields,
    ranking_limiter: Limiter,
    list_limiter: Limiter,
}

impl Site {
    fn new(folder: &Path) -> Result<Site, Failure> {
        let public_url = std::env::var("PUBLIC_URL")?;
        Ok(Site {
            seal: ranking::CursorSeal::new(),
            lists: list::Pages::new(folder, &public_url)?,
            ranking_fields: Fields::read(&folder.join("ranking.head"))?,
            list_fields: Fields::read(&folder.join("list.head"))?,
            ranking_limiter: Limiter::new(),
            list_limiter: Limiter::new(),
            public_url,
        })
    }
}

async fn respond(
    site: &Site,
    database: &Database,
    client: IpAddr,
    request: Request<Body>,
) -> Result<Response<Body>, Failure> {
    let path = request.uri().path();
    if let Some(platform) = between("/api/v1/platforms/", path, "/ranking") {
        let level = site.ranking_limiter.take(client);
        let query = ranking::Query::parse(platform, request.uri().query())?;
        let page = ranking::page(database, &query).await?;
        let cursor = page.next.as_ref().map(|next| site.seal.seal(next));
        let link = ranking::link(&site.public_url, request.uri(), cursor.as_deref());
        let body = page.json(cursor)?;
        return Ok(site.ranking_fields.response(body, &level, Some(link)));
    }
    if let Some(username) = between("/@", path, "/embed") {
        let level = site.list_limiter.take(client);
        if let Some(page) = site.lists.page(database, username).await? {
            return Ok(site.list_fields.response(page, &level, None));
        }
    }
    Ok(status(StatusCode::NOT_FOUND))
}

fn between<'a>(start: &str, text: &'a str, end: &str) -> Option<&'a str> {
    text.strip_prefix(start)?.strip_suffix(end)
}

fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

async fn serve(site: Arc<Site>, folder: &Path, address: SocketAddr) -> Result<(), Failure> {
    let database = Arc::new(Database::connect(folder).await?);
    let service = make_service_fn(move |stream: &AddrStream| {
        let (site, database) = (site.clone(), database.clone());
        let client = stream.remote_addr().ip();
        let service = service_fn(move |request| {
            let (site, database) = (site.clone(), database.clone());
            async move {
                Ok::<_, Infallible>(respond(&site, &database, client, request).await.unwrap_or_else(
                    |error| {
                        eprintln!("{error}");
                        status(StatusCode::INTERNAL_SERVER_ERROR)
                    },
                ))
            }
        });
        async move { Ok::<_, Infallible>(service) }
    });
    let listener = listen(address)?;
    Ok(Server::from_tcp(listener)?.tcp_nodelay(true).serve(service).await?)
}

/// Listens at the same address as the other loops. The kernel spreads clients over them.
fn listen(address: SocketAddr) -> std::io::Result<std::net::TcpListener> {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None)?;
    socket.set_reuse_port(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(1024)?;
    Ok(socket.into())
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let (folder, port, loops) = match &arguments[..] {
        [_, folder, port, loops] => (folder, port, loops),
        _ => return Err("peer FOLDER PORT LOOPS".into()),
    };
    let address = SocketAddr::from(([127, 0, 0, 1], port.parse()?));
    let site = Arc::new(Site::new(Path::new(folder))?);
    let loops: Vec<_> = (0..loops.parse::<usize>()?)
        .map(|_| {
            let (site, folder) = (site.clone(), folder.clone());
            thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                runtime.block_on(serve(site, Path::new(&folder), address))
            })
        })
        .collect();
    loops.into_iter().try_for_each(|thread| thread.join().expect("a loop panicked"))
}
