-- What changed, for servers that keep finished answers in memory.
--
-- A server asks before it uses a kept answer: which changes are visible now that were not visible in
-- the snapshot of my last question? Everything that public pages and the API show is covered by the
-- triggers below, so it does not matter who writes: the server, fave-admin or psql.
--
-- The table is only ever inserted into, so writers never wait for each other. Its order is that of
-- visibility, which only snapshots know: neither a sequence nor a time follows the order of commits.

CREATE TABLE changes (
    xid  xid8        NOT NULL DEFAULT pg_current_xact_id(),
    -- What changed. '*' is everything. Storage/ChangeKeys.swift lists the keys.
    keys text[]      NOT NULL,
    at   timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX changes_xid ON changes (xid);

-- The oldest row says up to where older rows have been deleted, so there is always one.
INSERT INTO changes (keys) VALUES ('{}');

-- A change of more things than this is noted as a change of everything.
CREATE FUNCTION note_changes(keys text[]) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
        INSERT INTO changes (keys)
        SELECT CASE WHEN cardinality(note_changes.keys) > 500 THEN '{*}' ELSE note_changes.keys END
        WHERE cardinality(note_changes.keys) > 0;
    END;

-- Entries: what a list, a ranking, a game's page and everyone's entries show. The rows of lists and
-- included_by that a change of entries touches are covered here, too.
CREATE FUNCTION entry_keys(user_id uuid, platform_id integer, game_id integer) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY['entries', 'lists', 'rankings', 'user ' || user_id, 'ranking ' || platform_id,
                 'game ' || game_id];

CREATE FUNCTION note_entries() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' THEN
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM after a, unnest(entry_keys(a.user_id, a.platform_id, a.game_id)) AS k (key);
    END IF;
    IF TG_OP <> 'INSERT' THEN
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM before b, unnest(entry_keys(b.user_id, b.platform_id, b.game_id)) AS k (key);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER z_note_insert AFTER INSERT ON entries REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_entries();
CREATE TRIGGER z_note_update AFTER UPDATE ON entries
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_entries();
CREATE TRIGGER z_note_delete AFTER DELETE ON entries REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION note_entries();

-- Counts and lists that are changed by themselves, and not by a trigger of entries, games or users.
CREATE FUNCTION note_counts() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' THEN
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM after a,
             unnest(ARRAY['rankings', 'ranking ' || platform_id, 'game ' || game_id]) AS k (key);
    END IF;
    IF TG_OP <> 'INSERT' THEN
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM before b,
             unnest(ARRAY['rankings', 'ranking ' || platform_id, 'game ' || game_id]) AS k (key);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER z_note_insert AFTER INSERT ON included_by REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION note_counts();
CREATE TRIGGER z_note_update AFTER UPDATE ON included_by
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION note_counts();
CREATE TRIGGER z_note_delete AFTER DELETE ON included_by REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION note_counts();

CREATE FUNCTION note_lists() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM after a, unnest(ARRAY['lists', 'user ' || a.user_id]) AS k (key);
    ELSE
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM before b, unnest(ARRAY['lists', 'user ' || b.user_id]) AS k (key);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER z_note_insert AFTER INSERT ON lists REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION note_lists();
CREATE TRIGGER z_note_update AFTER UPDATE ON lists REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION note_lists();
CREATE TRIGGER z_note_delete AFTER DELETE ON lists REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION note_lists();

-- Users: their own pages, and wherever their names appear beside an entry. The entries of a deleted
-- user are deleted with a trigger of their own.
CREATE FUNCTION note_users() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM note_changes('{users}');
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM before b, unnest(ARRAY['users', 'lists', 'user ' || b.id]) AS k (key);
    ELSE
        -- Someone may be adding an entry right now, to which the other name would be shown. The
        -- lock of the list waits for them, or makes them wait.
        PERFORM FROM lists WHERE user_id IN (SELECT id FROM after)
        ORDER BY user_id FOR NO KEY UPDATE;
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM before b
        JOIN after a USING (id)
        LEFT JOIN entries e ON e.user_id = b.id
        CROSS JOIN unnest(ARRAY['users', 'lists', 'user ' || b.id]
                          || entry_keys(b.id, e.platform_id, e.game_id)) AS k (key)
        WHERE key IS NOT NULL
          AND (b.username, b.display_name, b.bio, b.visibility, b.disabled_at, b.created_at)
              IS DISTINCT FROM
              (a.username, a.display_name, a.bio, a.visibility, a.disabled_at, a.created_at);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER z_note_insert AFTER INSERT ON users
    FOR EACH STATEMENT EXECUTE FUNCTION note_users();
CREATE TRIGGER z_note_update AFTER UPDATE ON users
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_users();
CREATE TRIGGER z_note_delete AFTER DELETE ON users REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION note_users();

-- Games. A rating count moves a game in searches only, and most updates move nothing else.
CREATE FUNCTION note_games() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM after a, unnest(ARRAY['catalogue', 'game ' || a.id]) AS k (key);
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM before b, unnest(ARRAY['catalogue', 'game ' || b.id]) AS k (key);
    ELSE
        PERFORM note_changes('{catalogue}')
        WHERE EXISTS (SELECT FROM before b JOIN after a USING (id)
                      WHERE b.rating_count <> a.rating_count);
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM before b
        JOIN after a USING (id)
        CROSS JOIN unnest(ARRAY['catalogue', 'game ' || b.id]) AS k (key)
        WHERE (b.name, b.release_year, b.cover_image_id, b.type, b.is_edition,
               b.screenshot_image_ids)
              IS DISTINCT FROM
              (a.name, a.release_year, a.cover_image_id, a.type, a.is_edition,
               a.screenshot_image_ids);
        -- The order of equals in rankings, also of pages that did not show the game.
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM before b
        JOIN after a USING (id)
        JOIN included_by i ON i.game_id = a.id
        CROSS JOIN unnest(ARRAY['rankings', 'ranking ' || i.platform_id]) AS k (key)
        WHERE b.sort_name <> a.sort_name;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER z_note_insert AFTER INSERT ON games REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_games();
CREATE TRIGGER z_note_update AFTER UPDATE ON games
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_games();
CREATE TRIGGER z_note_delete AFTER DELETE ON games REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION note_games();

CREATE FUNCTION note_game_platforms() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' THEN
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM after a, unnest(ARRAY['catalogue', 'game ' || a.game_id]) AS k (key);
    END IF;
    IF TG_OP <> 'INSERT' THEN
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM before b, unnest(ARRAY['catalogue', 'game ' || b.game_id]) AS k (key);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER z_note_insert AFTER INSERT ON game_platforms REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_game_platforms();
CREATE TRIGGER z_note_update AFTER UPDATE ON game_platforms
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_game_platforms();
CREATE TRIGGER z_note_delete AFTER DELETE ON game_platforms REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION note_game_platforms();

-- Tables that hardly ever change are noted as a whole. A statement that changes no row is not.
CREATE FUNCTION note_table() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    -- A statement must not name a table that its trigger does not have.
    IF TG_OP = 'DELETE' THEN
        PERFORM note_changes(ARRAY[TG_ARGV[0]]) WHERE EXISTS (SELECT FROM before);
    ELSIF TG_OP = 'TRUNCATE' THEN
        PERFORM note_changes(ARRAY[TG_ARGV[0]]);
    ELSE
        PERFORM note_changes(ARRAY[TG_ARGV[0]]) WHERE EXISTS (SELECT FROM after);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER z_note_insert AFTER INSERT ON platforms REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('platforms');
CREATE TRIGGER z_note_update AFTER UPDATE ON platforms REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('platforms');
CREATE TRIGGER z_note_delete AFTER DELETE ON platforms REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('platforms');
CREATE TRIGGER z_note_insert AFTER INSERT ON past_ranks REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('past ranks');
CREATE TRIGGER z_note_update AFTER UPDATE ON past_ranks REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('past ranks');
CREATE TRIGGER z_note_delete AFTER DELETE ON past_ranks REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('past ranks');

-- The keys that sign the cursors in answers: a cursor is of no use once its key is deleted.
CREATE TRIGGER z_note_insert AFTER INSERT ON signing_keys REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('*');
CREATE TRIGGER z_note_delete AFTER DELETE ON signing_keys REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('*');

-- Whatever is emptied.
CREATE TRIGGER z_note_truncate AFTER TRUNCATE ON platforms
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('*');
CREATE TRIGGER z_note_truncate AFTER TRUNCATE ON past_ranks
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('*');
CREATE TRIGGER z_note_truncate AFTER TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('*');
CREATE TRIGGER z_note_truncate AFTER TRUNCATE ON included_by
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('*');
CREATE TRIGGER z_note_truncate AFTER TRUNCATE ON lists
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('*');
CREATE TRIGGER z_note_truncate AFTER TRUNCATE ON users
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('*');
CREATE TRIGGER z_note_truncate AFTER TRUNCATE ON games
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('*');
CREATE TRIGGER z_note_truncate AFTER TRUNCATE ON game_platforms
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('*');
