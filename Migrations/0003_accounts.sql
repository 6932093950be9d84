-- Accounts: passwords, sessions, former usernames, bounded attempts; and who may see a list.
--
-- The rules held here:
--   * no two usernames that look alike              users_lookalike_key
--   * entries say who may see them as their list does, and hidden ones do not count
--                                                   copy_audience(), list_changed(), audience_changed()
--   * an old username leads to its user until somebody takes it
--                                                   username_changed()

-- Who may see a list ----------------------------------------------------------------------------

ALTER TABLE users
    ADD COLUMN bio text NOT NULL DEFAULT ''
        CONSTRAINT users_bio_check CHECK (char_length(bio) <= 300),
    -- What the owner wishes.
    ADD COLUMN visibility text NOT NULL DEFAULT 'public'
        CONSTRAINT users_visibility_check CHECK (visibility IN ('public', 'unlisted', 'private')),
    -- An operator has shut the account: nobody signs in, and the list is hidden.
    ADD COLUMN disabled_at timestamptz;

-- What follows from both, kept where it is read. "hidden" shows to the owner at most, and does not
-- count; "unlisted" counts, and stands nowhere by name.
CREATE FUNCTION audience_of(visibility text, disabled_at timestamptz) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN disabled_at IS NOT NULL OR visibility = 'private' THEN 'hidden'
                ELSE visibility END;

ALTER TABLE lists ADD COLUMN audience text NOT NULL DEFAULT 'public'
    CONSTRAINT lists_audience_check CHECK (audience IN ('public', 'unlisted', 'hidden'));

-- The list's, kept by the triggers below: what is quoted and who includes a game is read from an
-- index that leaves the others out, however many they are.
ALTER TABLE entries ADD COLUMN audience text NOT NULL DEFAULT 'public'
    CONSTRAINT entries_audience_check CHECK (audience IN ('public', 'unlisted', 'hidden'));

DROP INDEX entries_inclusions, entries_game, entries_comments, lists_recent;
CREATE INDEX entries_inclusions ON entries (platform_id, game_id, audience, created_at DESC, id DESC);
CREATE INDEX entries_game ON entries (game_id, audience, created_at DESC, id DESC);
CREATE INDEX entries_comments ON entries (platform_id, game_id, created_at DESC, id DESC)
    WHERE comment <> '' AND audience = 'public';
CREATE INDEX lists_recent ON lists (updated_at DESC, user_id)
    WHERE updated_at IS NOT NULL AND audience = 'public';

CREATE OR REPLACE FUNCTION make_lists() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO lists (user_id, audience)
    SELECT id, audience_of(visibility, disabled_at) FROM new_users;
    RETURN NULL;
END $$;

CREATE FUNCTION copy_audience() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    -- Without a list the foreign key will say so.
    NEW.audience := coalesce((SELECT audience FROM lists WHERE user_id = NEW.user_id), 'public');
    RETURN NEW;
END $$;

CREATE TRIGGER copy_audience BEFORE INSERT ON entries
    FOR EACH ROW EXECUTE FUNCTION copy_audience();

-- Touches the lists, and checks that none has a hole and that entries have their list's audience.
-- As before, but for that check, and for updates of the audience alone: they are no change of a list.
CREATE OR REPLACE FUNCTION list_changed() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    broken uuid;
BEGIN
    -- Only an update's trigger has the rows of before.
    IF TG_OP = 'UPDATE' THEN
        IF NOT EXISTS (SELECT FROM changed c JOIN before b USING (id)
                       WHERE (c.position, c.game_id, c.platform_id, c.comment)
                          <> (b.position, b.game_id, b.platform_id, b.comment)) THEN
            RETURN NULL;
        END IF;
    END IF;

    -- The next writer of the same list waits here until this one has committed, and then sees its
    -- entries in the checks below, which take snapshots of their own. Under REPEATABLE READ it gets
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

    -- Somebody changed who may see the list after copy_audience() had looked.
    SELECT e.user_id INTO broken
    FROM entries e JOIN lists l USING (user_id)
    WHERE e.user_id IN (SELECT user_id FROM changed) AND e.audience <> l.audience
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the audience of the list of user % changed meanwhile', broken
            USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN NULL;
END $$;

DROP TRIGGER a_list_changed_by_update ON entries;
CREATE TRIGGER a_list_changed_by_update AFTER UPDATE ON entries
    REFERENCING OLD TABLE AS before NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION list_changed();

-- The counts as before, over entries that are not hidden.
CREATE OR REPLACE FUNCTION count_added() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO included_by AS i (platform_id, game_id, sort_name, count)
    SELECT d.platform_id, d.game_id, g.sort_name, d.added
    FROM (SELECT platform_id, game_id, count(*) AS added
          FROM added WHERE audience <> 'hidden' GROUP BY platform_id, game_id) d
    JOIN games g ON g.id = d.game_id
    ORDER BY d.platform_id, d.game_id
    ON CONFLICT (platform_id, game_id) DO UPDATE SET count = i.count + excluded.count;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_removed() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    WITH locked AS (
        SELECT i.platform_id, i.game_id, d.removed
        FROM included_by i
        JOIN (SELECT platform_id, game_id, count(*) AS removed
              FROM removed WHERE audience <> 'hidden' GROUP BY platform_id, game_id) d
             USING (platform_id, game_id)
        ORDER BY i.platform_id, i.game_id FOR NO KEY UPDATE OF i
    )
    UPDATE included_by i SET count = i.count - l.removed
    FROM locked l WHERE (i.platform_id, i.game_id) = (l.platform_id, l.game_id);
    RETURN NULL;
END $$;

-- For an entry that was given another game or platform, or was hidden or shown.
CREATE OR REPLACE FUNCTION count_moved() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    platforms integer[];
    games_    integer[];
    deltas    bigint[];
BEGIN
    SELECT array_agg(d.platform_id), array_agg(d.game_id), array_agg(d.delta)
    INTO platforms, games_, deltas
    FROM (SELECT platform_id, game_id, sum(step) AS delta
          FROM (SELECT platform_id, game_id, 1 AS step FROM added WHERE audience <> 'hidden'
                UNION ALL
                SELECT platform_id, game_id, -1 FROM removed WHERE audience <> 'hidden') steps
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

-- Carries a new visibility, or the end of an account, to the list and its entries, and so to the
-- counts, in the same statement. Locks as writers of lists do: lists by user, then counts.
CREATE FUNCTION audience_changed() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    moved uuid[];
BEGIN
    SELECT array_agg(c.id) INTO moved
    FROM changed c JOIN before b USING (id)
    WHERE audience_of(c.visibility, c.disabled_at) <> audience_of(b.visibility, b.disabled_at);
    IF moved IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM FROM lists WHERE user_id = ANY (moved) ORDER BY user_id FOR NO KEY UPDATE;
    UPDATE lists l SET audience = audience_of(c.visibility, c.disabled_at)
    FROM changed c WHERE c.id = l.user_id AND l.user_id = ANY (moved);
    UPDATE entries e SET audience = l.audience
    FROM lists l WHERE l.user_id = e.user_id AND e.user_id = ANY (moved);
    RETURN NULL;
END $$;

CREATE TRIGGER audience_changed AFTER UPDATE ON users
    REFERENCING OLD TABLE AS before NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION audience_changed();

-- Usernames -------------------------------------------------------------------------------------

-- What a username looks like at a glance; FaveGames.Username.lookalike says the same.
CREATE FUNCTION lookalike(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN replace(replace(translate($1, '01-', 'ol_'), 'rn', 'm'), 'vv', 'w');

-- Users from before this rule keep their names, and those who are loaded in bulk do not mind it.
ALTER TABLE users ADD COLUMN may_look_alike boolean NOT NULL DEFAULT false;
UPDATE users SET may_look_alike = true
WHERE id IN (SELECT id
             FROM (SELECT id, row_number() OVER (PARTITION BY lookalike(username)
                                                 ORDER BY created_at, id) AS n FROM users) o
             WHERE n > 1);
CREATE UNIQUE INDEX users_lookalike_key ON users (lookalike(username)) WHERE NOT may_look_alike;

CREATE TABLE former_usernames (
    username text        PRIMARY KEY,
    user_id  uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    left_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX former_usernames_user ON former_usernames (user_id, left_at DESC);

-- Whoever takes a name has it alone; whoever leaves one is still found by it. Ten are kept.
CREATE FUNCTION username_changed() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        INSERT INTO former_usernames AS f (username, user_id)
        SELECT b.username, b.id FROM before b JOIN changed c USING (id)
        WHERE b.username <> c.username
        ON CONFLICT (username) DO UPDATE SET user_id = excluded.user_id, left_at = excluded.left_at;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
        DELETE FROM former_usernames f
        USING (SELECT o.username, row_number() OVER (PARTITION BY o.user_id
                                                     ORDER BY o.left_at DESC, o.username) AS n
               FROM former_usernames o WHERE o.user_id IN (SELECT id FROM changed)) kept
        WHERE kept.username = f.username AND kept.n > 10;
    END IF;
    DELETE FROM former_usernames WHERE username IN (SELECT username FROM changed);
    RETURN NULL;
END $$;

CREATE TRIGGER username_taken AFTER INSERT ON users REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION username_changed();
CREATE TRIGGER username_changed AFTER UPDATE ON users
    REFERENCING OLD TABLE AS before NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION username_changed();

-- Signing in ------------------------------------------------------------------------------------

ALTER TABLE identities
    ADD COLUMN id        uuid        NOT NULL DEFAULT gen_random_uuid() CONSTRAINT identities_id_key UNIQUE,
    ADD COLUMN linked_at timestamptz NOT NULL DEFAULT now();

-- Identities that were given up, with their users or without: an access token from before must not
-- make a user anew for one. Only a digest is kept, for as long as such tokens may live.
CREATE TABLE retired_identities (
    digest     bytea       PRIMARY KEY,
    retired_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX retired_identities_age ON retired_identities (retired_at);

CREATE FUNCTION identity_digest(issuer text, subject text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN sha256(convert_to(issuer || chr(10) || subject, 'UTF8'));

CREATE FUNCTION retire_identities() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO retired_identities AS r (digest)
    SELECT identity_digest(issuer, subject) FROM retired
    ON CONFLICT (digest) DO UPDATE SET retired_at = excluded.retired_at;
    RETURN NULL;
END $$;

CREATE TRIGGER retire_identities AFTER DELETE ON identities REFERENCING OLD TABLE AS retired
    FOR EACH STATEMENT EXECUTE FUNCTION retire_identities();

CREATE TABLE passwords (
    user_id    uuid        PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    hash       text        NOT NULL CHECK (hash ~ '^\$scrypt\$'),  -- with its costs and salt
    changed_at timestamptz NOT NULL DEFAULT now()
);

-- Where somebody is signed in: a browser with a cookie, or a client of the API with tokens.
CREATE TABLE sessions (
    id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id    uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    kind       text        NOT NULL CHECK (kind IN ('browser', 'api')),
    -- SHA-256 of the cookie's value, or of what is new in the refresh token that is good now.
    token_hash bytea       NOT NULL CONSTRAINT sessions_token_hash_key UNIQUE
                           CHECK (octet_length(token_hash) = 32),
    -- SHA-256 of what all refresh tokens of the session have in common: whoever shows that without
    -- the rest shows an old one, and the session ends.
    family_hash bytea      CONSTRAINT sessions_family_hash_key UNIQUE
                           CHECK (octet_length(family_hash) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    seen_at    timestamptz NOT NULL DEFAULT now(),
    -- By idle or by absolute time, whichever comes first.
    expires_at timestamptz NOT NULL,
    CHECK ((kind = 'api') = (family_hash IS NOT NULL))
);

CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- How much somebody has tried of late: a bucket that leaks. Unlogged: a crash forgives.
CREATE UNLOGGED TABLE attempts (
    key      text        PRIMARY KEY,  -- a digest of what is tried, and by whom
    empty_at timestamptz NOT NULL
);

CREATE INDEX attempts_empty ON attempts (empty_at);
