-- What IGDB tells: more of each game, what its searches found, and the token to ask it with.

ALTER TABLE games
    -- IGDB's game_type (0 a main game, 1 a DLC, …), and whether it is an edition of another game.
    ADD COLUMN type                 smallint    NOT NULL DEFAULT 0,
    ADD COLUMN is_edition           boolean     NOT NULL DEFAULT false,
    -- How many people rated it there: how well-known it is.
    ADD COLUMN rating_count         integer     NOT NULL DEFAULT 0,
    ADD COLUMN screenshot_image_ids text[]      NOT NULL DEFAULT '{}',
    -- When IGDB told of it last; NULL for the starter catalogue's own.
    ADD COLUMN fetched_at           timestamptz;

CREATE INDEX games_fetched ON games (fetched_at NULLS FIRST, id);

-- What IGDB found for a text, in its order. Answers are kept for all processes, and for when IGDB
-- is away.
CREATE TABLE game_searches (
    text        text        PRIMARY KEY CHECK (text <> '' AND char_length(text) <= 300),
    game_ids    integer[]   NOT NULL CHECK (cardinality(game_ids) <= 500),
    answered_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX game_searches_age ON game_searches (answered_at);

-- An application may have only so many tokens: one serves all processes.
CREATE TABLE igdb_tokens (
    client_id  text        PRIMARY KEY,
    token      text        NOT NULL CHECK (token <> ''),
    expires_at timestamptz NOT NULL
);
