use crate::Failure;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, path::Path};
use tokio_postgres::{Client, NoTls, Statement};

/// How many connections each loop has, as many as Fave Games has for reads.
const CONNECTIONS: usize = 3;

/// The connections of a loop. Each sends its requests without waiting for responses to earlier ones.
pub struct Database {
    sessions: Vec<Session>,
    next: AtomicUsize,
}

pub struct Session {
    pub client: Client,
    pub ranking: Statement,
    pub past_ranks: Statement,
    pub list: Statement,
}

impl Database {
    pub async fn connect(folder: &Path) -> Result<Database, Failure> {
        let mut sessions = vec![];
        for _ in 0..CONNECTIONS {
            sessions.push(Session::connect(folder).await?);
        }
        Ok(Database { sessions, next: AtomicUsize::new(0) })
    }

    pub fn session(&self) -> &Session {
        &self.sessions[self.next.fetch_add(1, Ordering::Relaxed) % self.sessions.len()]
    }
}

impl Session {
    async fn connect(folder: &Path) -> Result<Session, Failure> {
        let url = std::env::var("DATABASE_URL")?;
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                eprintln!("{error}");
            }
        });
        let statement = |name: &str| fs::read_to_string(folder.join(name).with_extension("sql"));
        Ok(Session {
            ranking: client.prepare(&statement("ranking")?).await?,
            past_ranks: client.prepare(&statement("past-ranks")?).await?,
            list: client.prepare(&statement("list")?).await?,
            client,
        })
    }
}
