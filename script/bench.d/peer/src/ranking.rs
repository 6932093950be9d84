//! The JSON of a platform's ranking.

use crate::{database::Database, Failure};
use base64::URL_SAFE_NO_PAD;
use hyper::Uri;
use ring::aead::{Aad, LessSafeKey, Nonce, UnboundKey, AES_256_GCM, NONCE_LEN};
use ring::hmac;
use serde::{Serialize, Serializer};
use std::{fmt, fmt::Display};
use tokio_postgres::{types::ToSql, Row};
use uuid::Uuid;

/// How many games of each platform past ranks are recorded of.
const STORED_RANKS: i32 = 100;

pub struct Query {
    platform: i32,
    limit: i64,
    comments: i64,
}

impl Query {
    pub fn parse(platform: &str, query: Option<&str>) -> Result<Query, Failure> {
        let mut parsed = Query { platform: platform.parse()?, limit: 5, comments: 3 };
        for item in query.unwrap_or("").split('&') {
            match item.split_once('=') {
                Some(("limit", value)) => parsed.limit = value.parse()?,
                Some(("comments", value)) => parsed.comments = value.parse()?,
                _ => (),
            }
        }
        Ok(parsed)
    }
}

/// What a page shows. Its texts are still in the rows.
pub struct Page {
    platform: i32,
    rows: Vec<Row>,
    /// Where the rows of each game begin, and its rank.
    games: Vec<(usize, i32)>,
    /// Games, and their ranks of a week ago.
    past: (Vec<i32>, Vec<i32>),
    pub next: Option<Cursor>,
}

/// The last game of a page.
pub struct Cursor {
    platform: i32,
    included_by: i32,
    game: i32,
    rank: i32,
    position: usize,
    sort_name: String,
}

// The columns of the statement.
const GAME: usize = 0;
const NAME: usize = 1;
const RELEASE_YEAR: usize = 3;
const COVER: usize = 4;
const COUNT: usize = 5;
const SORT_NAME: usize = 6;
const USER: usize = 7;
const USERNAME: usize = 8;
const DISPLAY_NAME: usize = 9;
const COMMENT: usize = 10;

pub async fn page(database: &Database, query: &Query) -> Result<Page, Failure> {
    let session = database.session();
    let one_more = query.limit + 1;
    let (ranked, platform): ([&(dyn ToSql + Sync); 3], [&(dyn ToSql + Sync); 1]) =
        ([&query.platform, &one_more, &query.comments], [&query.platform]);
    let (rows, past) = tokio::try_join!(
        session.client.query(&session.ranking, &ranked),
        session.client.query_one(&session.past_ranks, &platform),
    )?;
    let limit = query.limit as usize;
    let mut games: Vec<(usize, i32)> = vec![];
    let mut next = None;
    for (place, row) in rows.iter().enumerate() {
        let last = games.last().map(|&(last, rank)| (&rows[last], rank));
        let (game, count): (i32, i32) = (row.get(GAME), row.get(COUNT));
        let rank = match last {
            Some((last, _)) if game == last.get::<_, i32>(GAME) => continue,
            Some((last, rank)) if count == last.get::<_, i32>(COUNT) => rank,
            _ => games.len() as i32 + 1,
        };
        if games.len() == limit {
            next = last.map(|(last, rank)| Cursor {
                platform: query.platform,
                included_by: last.get(COUNT),
                game: last.get(GAME),
                rank,
                position: limit,
                sort_name: last.get(SORT_NAME),
            });
            break;
        }
        games.push((place, rank));
    }
    let past = (past.get(0), past.get(1));
    Ok(Page { platform: query.platform, rows, games, past, next })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Json<'a> {
    platform_id: i32,
    games: Vec<RankedGame<'a>>,
    next_cursor: Option<String>,
    previous_cursor: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RankedGame<'a> {
    rank: i32,
    included_by: i32,
    game: Game<'a>,
    comments: Vec<Quote<'a>>,
    movement: Option<Movement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Game<'a> {
    id: i32,
    name: &'a str,
    release_year: Option<i16>,
    cover_url: Option<Cover<'a>>,
    url: GamePath,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Quote<'a> {
    id: Uuid,
    username: &'a str,
    display_name: &'a str,
    comment: &'a str,
}

#[derive(Serialize)]
struct Movement {
    kind: &'static str,
    places: i32,
}

struct Cover<'a>(&'a str);

impl Display for Cover<'_> {
    fn fmt(&self, text: &mut fmt::Formatter) -> fmt::Result {
        write!(text, "https://images.igdb.com/igdb/image/upload/t_cover_big/{}.jpg", self.0)
    }
}

impl Serialize for Cover<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

struct GamePath(i32);

impl Display for GamePath {
    fn fmt(&self, text: &mut fmt::Formatter) -> fmt::Result {
        write!(text, "/games/{}", self.0)
    }
}

impl Serialize for GamePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Page {
    pub fn json(&self, next: Option<String>) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::with_capacity(8192);
        let json = Json {
            platform_id: self.platform,
            games: self.games.iter().map(|&(place, rank)| self.game(place, rank)).collect(),
            next_cursor: next,
            previous_cursor: None,
        };
        serde_json::to_writer(&mut bytes, &json)?;
        Ok(bytes)
    }

    fn game(&self, place: usize, rank: i32) -> RankedGame {
        let row = &self.rows[place];
        let id: i32 = row.get(GAME);
        let rows = self.rows[place..].iter().take_while(|row| row.get::<_, i32>(GAME) == id);
        RankedGame {
            rank,
            included_by: row.get(COUNT),
            game: Game {
                id,
                name: row.get(NAME),
                release_year: row.get(RELEASE_YEAR),
                cover_url: row.get::<_, Option<&str>>(COVER).map(Cover),
                url: GamePath(id),
            },
            comments: rows
                .filter_map(|row| {
                    Some(Quote {
                        id: row.get::<_, Option<Uuid>>(USER)?,
                        username: row.get(USERNAME),
                        display_name: row.get(DISPLAY_NAME),
                        comment: row.get(COMMENT),
                    })
                })
                .collect(),
            movement: self.movement(id, rank),
        }
    }

    /// How a game has moved; `None` if that is not known.
    fn movement(&self, game: i32, rank: i32) -> Option<Movement> {
        let (games, ranks) = &self.past;
        if games.is_empty() || rank > STORED_RANKS {
            return None;
        }
        match games.iter().position(|&other| other == game).map(|place| ranks[place]) {
            Some(past) if past == rank => Some(Movement { kind: "same", places: 0 }),
            Some(past) if past > rank => Some(Movement { kind: "up", places: past - rank }),
            Some(past) => Some(Movement { kind: "down", places: rank - past }),
            None if (ranks.len() as i32) < STORED_RANKS
                || ranks.iter().max().map_or(true, |&last| rank < last) =>
            {
                Some(Movement { kind: "new", places: 0 })
            }
            None => None,
        }
    }
}

/// The addresses of the first and of the next page, RFC 8288.
pub fn link(public_url: &str, uri: &Uri, cursor: Option<&str>) -> String {
    let first = uri.path_and_query().map_or("", |target| target.as_str());
    let separator = if uri.query().is_some() { '&' } else { '?' };
    let mut link = String::with_capacity(400);
    if let Some(cursor) = cursor {
        link += &format!("<{public_url}{first}{separator}cursor={cursor}>; rel=\"next\", ");
    }
    link + &format!("<{public_url}{first}>; rel=\"first\"")
}

/// Encrypts cursors. The nonce is derived from the cursor, so that equal pages have equal cursors.
pub struct CursorSeal {
    encryption: LessSafeKey,
    nonces: hmac::Key,
}

impl CursorSeal {
    pub fn new() -> CursorSeal {
        let key = UnboundKey::new(&AES_256_GCM, &[7; 32]).expect("256 bits");
        CursorSeal { encryption: LessSafeKey::new(key), nonces: hmac::Key::new(hmac::HMAC_SHA256, &[8; 32]) }
    }

    pub fn seal(&self, cursor: &Cursor) -> String {
        let text = format!(
            "r1\n{}\n{}\n{}\n{}\n{}\n{}",
            cursor.platform, cursor.included_by, cursor.game, cursor.rank, cursor.position, cursor.sort_name
        );
        let code = hmac::sign(&self.nonces, text.as_bytes());
        let mut nonce = [0; NONCE_LEN];
        nonce.copy_from_slice(&code.as_ref()[..NONCE_LEN]);
        let mut sealed = Vec::with_capacity(NONCE_LEN + text.len() + AES_256_GCM.tag_len());
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(text.as_bytes());
        let tag = self
            .encryption
            .seal_in_place_separate_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(b"cursor r"),
                &mut sealed[NONCE_LEN..],
            )
            .expect("a short text");
        sealed.extend_from_slice(tag.as_ref());
        base64::encode_config(sealed, URL_SAFE_NO_PAD)
    }
}
