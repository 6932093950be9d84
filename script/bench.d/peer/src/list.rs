//! The page of a list, for a frame on another site.

use crate::{database::Database, Failure};
use serde::Deserialize;
use std::{collections::HashMap, fs, io::Write, path::Path};
use tokio_postgres::Row;
use unicode_segmentation::UnicodeSegmentation;
use uuid::Uuid;

pub struct Pages {
    public_url: String,
    stylesheet: String,
    /// What people call platforms, by id.
    platforms: HashMap<i32, String>,
}

// The columns of the statement that are shown.
const USERNAME: usize = 1;
const DISPLAY_NAME: usize = 2;
const POSITION: usize = 16;
const GAME: usize = 17;
const NAME: usize = 18;
const COVER: usize = 21;
const PLATFORM: usize = 22;
const SLUG: usize = 23;
const COMMENT: usize = 26;

impl Pages {
    /// The folder contains the API's platforms, and a page of Fave Games, which names the stylesheet.
    pub fn new(folder: &Path, public_url: &str) -> Result<Pages, Failure> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Platform {
            id: i32,
            short_name: String,
        }
        #[derive(Deserialize)]
        struct Platforms {
            platforms: Vec<Platform>,
        }
        let json = fs::read_to_string(folder.join("platforms.json"))?;
        let platforms: Platforms = serde_json::from_str(&json)?;
        let page = fs::read_to_string(folder.join("list.html"))?;
        let stylesheet = page.split_once("rel=\"stylesheet\" href=\"").and_then(|(_, rest)| rest.split_once('"'));
        Ok(Pages {
            public_url: public_url.to_owned(),
            stylesheet: stylesheet.ok_or("the page has no stylesheet")?.0.to_owned(),
            platforms: platforms.platforms.into_iter().map(|p| (p.id, p.short_name)).collect(),
        })
    }

    pub async fn page(
        &self, database: &Database, username: &str,
    ) -> Result<Option<Vec<u8>>, Failure> {
        let session = database.session();
        let nobody: Option<Uuid> = None;
        let rows = session.client.query(&session.list, &[&username, &nobody]).await?;
        Ok(rows.first().map(|first| self.write(first, &rows)))
    }

    fn write(&self, owner: &Row, rows: &[Row]) -> Vec<u8> {
        let (username, name): (&str, &str) = (owner.get(USERNAME), owner.get(DISPLAY_NAME));
        let mut page = Html(Vec::with_capacity(8192));
        page.raw(HEAD).text(name).raw("’s favourite games · Fave Games</title>\n")
            .raw("<meta name=\"robots\" content=\"noindex\">\n<link rel=\"canonical\" href=\"")
            .text(&self.public_url).raw("/@").text(username)
            .raw("\">\n<meta name=\"color-scheme\" content=\"light dark\">\n")
            .raw("<link rel=\"stylesheet\" href=\"").text(&self.stylesheet)
            .raw("\">\n</head>\n<body>\n<main>\n<header>\n<svg class=\"avatar hue-")
            .number(hue(username))
            .raw("\" viewBox=\"0 0 40 40\" width=\"40\" height=\"40\" aria-hidden=\"true\">")
            .raw("<text x=\"20\" y=\"21\">").text(&initials(words(name).iter(), 2))
            .raw("</text></svg>\n<h1><a href=\"/@").text(username)
            .raw("\" target=\"_blank\" rel=\"noopener\"><bdi>").text(name)
            .raw("</bdi></a>’s favourite games</h1>\n</header>\n<ol role=\"list\">\n");
        for row in rows {
            if row.get::<_, Option<i16>>(POSITION).is_some() {
                self.entry(&mut page, row);
            }
        }
        page.raw("</ol>\n<footer><a href=\"/@").text(username).raw(FOOT);
        page.0
    }

    fn entry(&self, page: &mut Html, row: &Row) {
        let (game, name): (i32, &str) = (row.get(GAME), row.get(NAME));
        let cover: Option<&str> = row.get(COVER);
        let position = i32::from(row.get::<_, i16>(POSITION));
        page.raw("<li value=\"").number(position)
            .raw("\">\n<p class=\"rank\"><span class=\"hidden\">Number ").number(position)
            .raw("</span><span aria-hidden=\"true\">").number(position).raw("</span></p>\n");
        if cover.is_some() {
            page.raw("<span class=\"picture\">");
        }
        page.raw("<svg class=\"cover hue-").number(game % 8)
            .raw("\" viewBox=\"0 0 60 80\" aria-hidden=\"true\"><text x=\"30\" y=\"41\">")
            .text(&initials_of_game(name)).raw("</text></svg>");
        if let Some(cover) = cover {
            page.raw("<img src=\"https://images.igdb.com/igdb/image/upload/t_cover_small_2x/")
                .text(cover).raw(".jpg\" alt=\"\"></span>");
        }
        page.raw("\n<div>\n<h2><a href=\"/platforms/").text(row.get(SLUG)).raw("/games/")
            .number(game).raw("\" target=\"_blank\" rel=\"noopener\"><bdi>").text(name)
            .raw("</bdi></a></h2>\n<p class=\"platform\">")
            .text(self.platforms.get(&row.get(PLATFORM)).map_or("", |name| name))
            .raw("</p>\n");
        let comment: &str = row.get(COMMENT);
        if !comment.is_empty() {
            page.raw("<p class=\"why\" dir=\"auto\">").text(comment).raw("</p>\n");
        }
        page.raw("</div>\n</li>\n");
    }
}

struct Html(Vec<u8>);

impl Html {
    fn raw(&mut self, literal: &'static str) -> &mut Html {
        self.0.extend_from_slice(literal.as_bytes());
        self
    }

    fn text(&mut self, text: &str) -> &mut Html {
        let bytes = text.as_bytes();
        let mut start = 0;
        for (place, byte) in bytes.iter().enumerate() {
            let replacement: &[u8] = match byte {
                b'<' => b"&lt;",
                b'>' => b"&gt;",
                b'&' => b"&amp;",
                b'"' => b"&quot;",
                b'\'' => b"&#39;",
                _ => continue,
            };
            self.0.extend_from_slice(&bytes[start..place]);
            self.0.extend_from_slice(replacement);
            start = place + 1;
        }
        self.0.extend_from_slice(&bytes[start..]);
        self
    }

    fn number(&mut self, number: i32) -> &mut Html {
        let _ = write!(self.0, "{number}");
        self
    }
}

// -- Placeholders ---------------------------------------------------------------------------------

/// The words of a name. Of a letter with its marks, the letter says whether it is part of a word.
fn words(name: &str) -> Vec<&str> {
    if name.is_ascii() {
        return name
            .split(|character: char| !character.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
    }
    let (mut words, mut start) = (vec![], None);
    for (place, cluster) in name.grapheme_indices(true) {
        if cluster.starts_with(char::is_alphanumeric) {
            start.get_or_insert(place);
        } else if let Some(start) = start.take() {
            words.push(&name[start..place]);
        }
    }
    words.extend(start.map(|start| &name[start..]));
    words
}

fn initials<'a>(words: impl Iterator<Item = &'a &'a str>, count: usize) -> String {
    let first = |word: &&'a str| word.graphemes(true).next();
    words.take(count).filter_map(first).flat_map(str::chars).flat_map(char::to_uppercase).collect()
}

const COMMON_WORDS: [&str; 14] =
    ["a", "an", "and", "at", "de", "der", "for", "in", "la", "le", "of", "on", "the", "to"];

fn initials_of_game(name: &str) -> String {
    let words = words(name);
    let is_telling = |word: &&&str| {
        word.len() > 3 || !COMMON_WORDS.iter().any(|common| common.eq_ignore_ascii_case(word))
    };
    match words.iter().any(|word| is_telling(&word)) {
        true => initials(words.iter().filter(is_telling), 3),
        false => initials(words.iter(), 3),
    }
}

fn hue(username: &str) -> i32 {
    username.bytes().fold(0, |sum, byte| (sum * 31 + i32::from(byte)) & 0xFFFF) % 8
}

const HEAD: &str = "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<title>";

const FOOT: &str = "\" target=\"_blank\" rel=\"noopener\"><svg class=\"heart\" viewBox=\"0 0 7 6\" \
width=\"28\" height=\"24\" aria-hidden=\"true\" shape-rendering=\"crispEdges\"><path d=\"M1 0h2v1h1v-1\
h2v1h1v2h-1v1h-1v1h-1v1h-1v-1h-1v-1h-1v-1h-1v-2h1z\"/><path class=\"shine\" d=\"M1 1h1v1h-1z\"/></svg>
Fave Games</a> <a href=\"/me\" target=\"_blank\" rel=\"noopener\">What are your five?</a></footer>
</main>
</body>
</html>
";
