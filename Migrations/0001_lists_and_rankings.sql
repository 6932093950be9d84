-- Platforms, games, users, their lists, and the included-by counts that rankings read.
--
-- The rules of a list are held here, whatever the program does and however writers race:
--   * at most five entries, positions 1…n without holes   entries_position_check, entries_position_key, list_changed()
--   * a game once for each platform                       entries_game_key
--   * only platforms that the game is on                  entries_game_platform_fkey
--   * counts equal to the aggregate over entries          count_added(), count_removed(), count_moved()

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;

-- Folds case and accents away, for searching. unaccent() is only STABLE because its dictionary can
-- be changed; naming the dictionary and the schema is what makes this safe to index.
CREATE FUNCTION fold(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lower(unaccent('unaccent'::regdictionary, $1));

-- Escapes what LIKE would take for a wildcard.
CREATE FUNCTION like_escape(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN replace(replace(replace($1, '\', '\\'), '%', '\%'), '_', '\_');

CREATE TABLE platforms (
    id           integer PRIMARY KEY CHECK (id > 0),  -- IGDB's
    slug         text    NOT NULL CONSTRAINT platforms_slug_key UNIQUE DEFERRABLE
                         CHECK (slug ~ '^[a-z0-9-]+$' AND slug ~ '[a-z]'),
    name         text    NOT NULL CHECK (name <> ''),
    abbreviation text,
    generation   smallint,
    family       text
);

CREATE INDEX platforms_search ON platforms
    USING gin (fold(name || ' ' || coalesce(abbreviation, '') || ' ' || slug) gin_trgm_ops);

CREATE TABLE games (
    id             integer PRIMARY KEY CHECK (id > 0),  -- IGDB's
    name           text    NOT NULL CHECK (name <> ''),
    release_year   smallint,
    cover_image_id text    CHECK (cover_image_id ~ '^[a-z0-9_]{1,64}$'),
    -- The order of equals in a ranking. Bytes of a folded name: unlike a language's collation it
    -- does not change with the system's libraries, which would corrupt the index.
    sort_name      text    COLLATE "C" NOT NULL GENERATED ALWAYS AS (fold(name)) STORED,
    seen_at        timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX games_search ON games USING gin (sort_name gin_trgm_ops);
-- Beginnings too short for trigrams.
CREATE INDEX games_prefix ON games (sort_name);

CREATE TABLE game_platforms (
    game_id     integer NOT NULL REFERENCES games ON DELETE CASCADE,
    platform_id integer NOT NULL REFERENCES platforms,
    PRIMARY KEY (game_id, platform_id)
);

CREATE INDEX game_platforms_platform ON game_platforms (platform_id);

CREATE TABLE users (
    id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    username        text        NOT NULL CHECK (username ~ '^[a-z0-9_-]{2,30}$'),
    display_name    text        NOT NULL CHECK (display_name <> '' AND char_length(display_name) <= 80),
    created_at      timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX users_username_key ON users (username);
CREATE INDEX users_prefix ON users (username text_pattern_ops);
CREATE INDEX users_search ON users USING gin (fold(username || ' ' || display_name) gin_trgm_ops);

-- A user's list: every user has one. It is a table of its own because it changes with every entry,
-- and a change of a row of users would be a change of its search index, too.
CREATE TABLE lists (
    user_id    uuid        PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    -- Counts the changes. Every change of entries touches this row, which is what makes two writers
    -- of one list wait for each other.
    version    bigint      NOT NULL DEFAULT 0,
    -- When it last changed, NULL while it never did.
    updated_at timestamptz
);

CREATE INDEX lists_recent ON lists (updated_at DESC, user_id) WHERE updated_at IS NOT NULL;

CREATE FUNCTION make_lists() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO lists (user_id) SELECT id FROM new_users;
    RETURN NULL;
END $$;

CREATE TRIGGER make_lists AFTER INSERT ON users REFERENCING NEW TABLE AS new_users
    FOR EACH STATEMENT EXECUTE FUNCTION make_lists();

-- Who a user is to an issuer of tokens.
CREATE TABLE identities (
    issuer  text NOT NULL CHECK (char_length(issuer) <= 255),
    subject text NOT NULL CHECK (subject <> '' AND char_length(subject) <= 255),
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (issuer, subject)
);

CREATE INDEX identities_user ON identities (user_id);

CREATE TABLE entries (
    id          uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id     uuid        NOT NULL REFERENCES lists ON DELETE CASCADE,
    position    smallint    NOT NULL CONSTRAINT entries_position_check CHECK (position BETWEEN 1 AND 5),
    game_id     integer     NOT NULL,
    platform_id integer     NOT NULL,
    comment     text        NOT NULL DEFAULT ''
                            CONSTRAINT entries_comment_check CHECK (char_length(comment) <= 1000),
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    -- Checked when the statement ends, so that one UPDATE can reorder a list.
    CONSTRAINT entries_position_key UNIQUE (user_id, position) DEFERRABLE INITIALLY IMMEDIATE,
    CONSTRAINT entries_game_key UNIQUE (user_id, game_id, platform_id) DEFERRABLE INITIALLY IMMEDIATE,
    CONSTRAINT entries_game_platform_fkey FOREIGN KEY (game_id, platform_id)
        REFERENCES game_platforms (game_id, platform_id)
);

-- "Who includes this game on this platform", newest first.
CREATE INDEX entries_inclusions ON entries (platform_id, game_id, created_at DESC, id DESC);
-- "Who loves this game", on whatever platform.
CREATE INDEX entries_game ON entries (game_id, created_at DESC, id DESC);
-- Those who said why: what a ranking quotes.
CREATE INDEX entries_comments ON entries (platform_id, game_id, created_at DESC, id DESC) WHERE comment <> '';

CREATE TABLE included_by (
    platform_id integer NOT NULL REFERENCES platforms,
    game_id     integer NOT NULL REFERENCES games,
    sort_name   text    COLLATE "C" NOT NULL,  -- the game's, kept by copy_sort_name()
    count       integer NOT NULL CONSTRAINT included_by_count_check CHECK (count >= 0),
    PRIMARY KEY (platform_id, game_id)
) WITH (fillfactor = 80);

-- Rankings read and page through this. The negated count gives all columns one direction, so that
-- a page begins with one row comparison. A game that nobody includes any more keeps its row, at zero.
CREATE INDEX included_by_ranking ON included_by (platform_id, (-count), sort_name, game_id)
    WHERE count > 0;
CREATE INDEX included_by_game ON included_by (game_id) WHERE count > 0;

-- Triggers on entries. Each statement that changes entries fires them once for each kind of change,
-- when it is done, with the changed rows in transition tables. Rows of lists are locked in the order
-- of their users' ids and then rows of included_by in the order of platform and game, so that two
-- statements never wait for each other in a circle.

-- Touches the lists and checks that none has a hole.
CREATE FUNCTION list_changed() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    broken uuid;
BEGIN
    -- The next writer of the same list waits here until this one has committed, and then sees its
    -- entries in the check below, which takes a snapshot of its own. Under REPEATABLE READ it gets
    -- a serialization failure instead.
    WITH locked AS (
        SELECT user_id FROM lists WHERE user_id IN (SELECT user_id FROM changed)
        ORDER BY user_id FOR NO KEY UPDATE
    )
    UPDATE lists l SET version = l.version + 1, updated_at = clock_timestamp()
    FROM locked WHERE l.user_id = locked.user_id;

    SELECT e.user_id INTO broken
    FROM entries e WHERE e.user_id IN (SELECT user_id FROM changed)
    GROUP BY e.user_id HAVING max(e.position) <> count(*)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the positions of the list of user % have a hole', broken
            USING ERRCODE = 'check_violation', CONSTRAINT = 'entries_position_holes';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER a_list_changed AFTER INSERT ON entries REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION list_changed();
CREATE TRIGGER a_list_changed_by_update AFTER UPDATE ON entries REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION list_changed();
CREATE TRIGGER a_list_changed_by_delete AFTER DELETE ON entries REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION list_changed();

-- An entry stays with its list: after an update, list_changed() sees the new owner only.
CREATE FUNCTION refuse_new_owner() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an entry cannot move to another user''s list'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'entries_owner';
END $$;

CREATE TRIGGER entries_owner BEFORE UPDATE OF user_id ON entries
    FOR EACH ROW WHEN (NEW.user_id <> OLD.user_id) EXECUTE FUNCTION refuse_new_owner();

CREATE FUNCTION count_added() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO included_by AS i (platform_id, game_id, sort_name, count)
    SELECT d.platform_id, d.game_id, g.sort_name, d.added
    FROM (SELECT platform_id, game_id, count(*) AS added
          FROM added GROUP BY platform_id, game_id) d
    JOIN games g ON g.id = d.game_id
    ORDER BY d.platform_id, d.game_id
    ON CONFLICT (platform_id, game_id) DO UPDATE SET count = i.count + excluded.count;
    RETURN NULL;
END $$;

CREATE FUNCTION count_removed() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    WITH locked AS (
        SELECT i.platform_id, i.game_id, d.removed
        FROM included_by i
        JOIN (SELECT platform_id, game_id, count(*) AS removed
              FROM removed GROUP BY platform_id, game_id) d USING (platform_id, game_id)
        ORDER BY i.platform_id, i.game_id FOR NO KEY UPDATE OF i
    )
    UPDATE included_by i SET count = i.count - l.removed
    FROM locked l WHERE (i.platform_id, i.game_id) = (l.platform_id, l.game_id);
    RETURN NULL;
END $$;

-- For an entry that was given another game or platform. A new position or comment moves no count.
CREATE FUNCTION count_moved() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    platforms integer[];
    games_    integer[];
    deltas    bigint[];
BEGIN
    SELECT array_agg(d.platform_id), array_agg(d.game_id), array_agg(d.delta)
    INTO platforms, games_, deltas
    FROM (SELECT platform_id, game_id, sum(step) AS delta
          FROM (SELECT platform_id, game_id, 1 AS step FROM added
                UNION ALL
                SELECT platform_id, game_id, -1 FROM removed) steps
          GROUP BY platform_id, game_id HAVING sum(step) <> 0) d;
    IF platforms IS NULL THEN
        RETURN NULL;
    END IF;
    -- Makes the rows that are missing and locks the others, all in order …
    INSERT INTO included_by AS i (platform_id, game_id, sort_name, count)
    SELECT d.platform_id, d.game_id, g.sort_name, 0
    FROM unnest(platforms, games_) AS d (platform_id, game_id)
    JOIN games g ON g.id = d.game_id
    ORDER BY d.platform_id, d.game_id
    ON CONFLICT (platform_id, game_id) DO UPDATE SET count = i.count;
    -- … and only then counts: a proposed row with a negative count would fail its check.
    UPDATE included_by i SET count = i.count + d.delta
    FROM unnest(platforms, games_, deltas) AS d (platform_id, game_id, delta)
    WHERE (i.platform_id, i.game_id) = (d.platform_id, d.game_id);
    RETURN NULL;
END $$;

CREATE TRIGGER count_added AFTER INSERT ON entries REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_added();
CREATE TRIGGER count_removed AFTER DELETE ON entries REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION count_removed();
CREATE TRIGGER count_moved AFTER UPDATE ON entries
    REFERENCING OLD TABLE AS removed NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_moved();

CREATE FUNCTION count_nothing() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    UPDATE included_by SET count = 0 WHERE count > 0;
    UPDATE lists SET version = version + 1, updated_at = clock_timestamp()
    WHERE updated_at IS NOT NULL;
    RETURN NULL;
END $$;

CREATE TRIGGER count_nothing AFTER TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION count_nothing();

-- Carries a game's new name into the order of rankings. A row that another transaction is just
-- making may miss it; fave-admin recount finds that.
CREATE FUNCTION copy_sort_name() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    WITH locked AS (
        SELECT i.platform_id, i.game_id, n.sort_name
        FROM included_by i
        JOIN new_games n ON n.id = i.game_id
        WHERE i.sort_name <> n.sort_name
        ORDER BY i.platform_id, i.game_id FOR NO KEY UPDATE OF i
    )
    UPDATE included_by i SET sort_name = l.sort_name
    FROM locked l WHERE (i.platform_id, i.game_id) = (l.platform_id, l.game_id);
    RETURN NULL;
END $$;

CREATE TRIGGER copy_sort_name AFTER UPDATE ON games REFERENCING NEW TABLE AS new_games
    FOR EACH STATEMENT EXECUTE FUNCTION copy_sort_name();
