-- Lists of games from elsewhere, as suggestions: a file fills a tray, from which its owner picks. Games
-- are found by the whole name, however it is punctuated and its numerals are written.
-- oldest-server: 12
-- step: A tray for each person
CREATE TABLE imports (
    id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    -- One at a time. Another one takes the place of one that is not running any more.
    user_id         uuid        NOT NULL CONSTRAINT imports_user_key UNIQUE
                                REFERENCES users ON DELETE CASCADE,
    file_name       text        NOT NULL CHECK (char_length(file_name) <= 100),
    state           text        NOT NULL DEFAULT 'running'
                                CHECK (state IN ('running', 'done', 'failed')),
    row_count       integer     NOT NULL CHECK (row_count BETWEEN 1 AND 10000),
    -- The rows whose game was looked for, and those of them that can be picked.
    done_count      integer     NOT NULL CHECK (done_count BETWEEN 0 AND row_count),
    suggested_count integer     NOT NULL DEFAULT 0 CHECK (suggested_count BETWEEN 0 AND done_count),
    made_at         timestamptz NOT NULL DEFAULT now(),
    -- When a server last worked on it. A running one that nobody works on can be continued.
    worked_at       timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX imports_age ON imports (made_at);
CREATE INDEX imports_running ON imports (worked_at) WHERE state = 'running';

-- The rows of the file, which anyone's server can continue to look up.
CREATE TABLE import_rows (
    import_id       uuid      NOT NULL REFERENCES imports ON DELETE CASCADE,
    -- In the tray: the best rated first, and then in the file's order.
    place           integer   NOT NULL CHECK (place BETWEEN 1 AND 10000),
    line            integer   NOT NULL CHECK (line > 0),
    -- What the file says.
    name            text      NOT NULL CHECK (char_length(name) <= 200),
    named_id        integer,
    named_platforms text      NOT NULL CHECK (char_length(named_platforms) <= 200),
    platform_ids    integer[] NOT NULL CHECK (cardinality(platform_ids) <= 50),
    release_year    smallint,
    score           text      NOT NULL CHECK (char_length(score) <= 20),
    rating          smallint  CHECK (rating BETWEEN 1 AND 5),
    comment         text      NOT NULL CHECK (char_length(comment) <= 1000),
    tags            text      NOT NULL CHECK (char_length(tags) <= 200),
    shelf           text      NOT NULL CHECK (char_length(shelf) <= 200),
    dated           text      NOT NULL CHECK (char_length(dated) <= 20),
    -- What was found; NULL while it was not looked for.
    finding         text
        CHECK (finding IN ('found', 'several_games', 'unknown_platform', 'not_on_platform', 'duplicate',
                           'no_game', 'no_name', 'malformed')),
    is_suggested    boolean   GENERATED ALWAYS AS
        (finding IN ('found', 'several_games', 'unknown_platform', 'not_on_platform')) STORED,
    game_id         integer,
    platform_id     integer,
    -- How many games suit as well as the one that was chosen, which is one of them.
    candidates      integer   NOT NULL DEFAULT 0,
    PRIMARY KEY (import_id, place),
    CHECK (is_suggested IS NOT TRUE OR game_id IS NOT NULL)
);

CREATE INDEX import_rows_listing ON import_rows (import_id, is_suggested, place);
CREATE INDEX import_rows_game ON import_rows (import_id, game_id) WHERE game_id IS NOT NULL;
-- step: What whole names are compared by
-- The part of a searched name that has the canonical spelling, with a space at each end.
CREATE FUNCTION whole_name(searched_name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN left(split_part(searched_name, '/', 3), 200);

-- The same of a name that someone else has written.
CREATE FUNCTION written_name(name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN left(' ' || canonical_name(plain_name(fold(name))) || ' ', 200);
-- step (outside a transaction): Index whole names
CREATE INDEX CONCURRENTLY IF NOT EXISTS games_whole_names ON games (whole_name(searched_name));
