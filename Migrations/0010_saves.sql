-- A list is saved by one function, and the triggers behind it do the same for less.
--
-- Only functions are made or replaced here, so nobody waits for a lock.
-- oldest-server: 9

-- A function in SQL is planned anew by each statement that calls it, one in PL/pgSQL once in a
-- session. These two took longer to plan than a list takes to save.
CREATE OR REPLACE FUNCTION are_tags(text[]) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN $1 = '{}'
        OR cardinality($1) <= 5
           AND (SELECT bool_and(tag <> '' AND char_length(tag) <= 30 AND tag !~ '[,#]')
                       AND count(DISTINCT tag) = cardinality($1)
                FROM unnest($1) AS t (tag));
END $$;

-- A function in SQL is copied into the statement that calls it if it is as immutable as it says.
-- This one was not: without its casts, || is only STABLE.
CREATE OR REPLACE FUNCTION entry_keys(
    user_id uuid, platform_id integer, game_id integer
) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY['entries', 'lists', 'rankings', 'user ' || user_id::text,
                 'ranking ' || platform_id::text, 'game ' || game_id::text];

-- A change of more things than this is noted as a change of everything.
CREATE FUNCTION bounded_keys(keys text[]) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN CASE WHEN cardinality(keys) > 500 THEN '{*}' ELSE keys END;
END $$;

CREATE OR REPLACE FUNCTION note_changes(keys text[]) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(keys) > 0 THEN
        INSERT INTO changes (keys) VALUES (bounded_keys(note_changes.keys));
    END IF;
END $$;

-- As before, but one statement, and one note for what an update changes.
CREATE OR REPLACE FUNCTION note_entries() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO changes (keys)
        SELECT bounded_keys(array_agg(DISTINCT key))
        FROM after a, unnest(entry_keys(a.user_id, a.platform_id, a.game_id)) AS k (key)
        HAVING count(*) > 0;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO changes (keys)
        SELECT bounded_keys(array_agg(DISTINCT key))
        FROM before b, unnest(entry_keys(b.user_id, b.platform_id, b.game_id)) AS k (key)
        HAVING count(*) > 0;
    ELSE
        INSERT INTO changes (keys)
        SELECT bounded_keys(array_agg(DISTINCT key))
        FROM (SELECT user_id, platform_id, game_id FROM after
              UNION ALL SELECT user_id, platform_id, game_id FROM before) e,
             unnest(entry_keys(e.user_id, e.platform_id, e.game_id)) AS k (key)
        HAVING count(*) > 0;
    END IF;
    RETURN NULL;
END $$;

-- Touches the lists whose entries changed. Checks that none has a hole and that the entries have
-- their list's audience. An update of the audience alone is not a change of the list.
CREATE OR REPLACE FUNCTION list_changed() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    owners uuid[];
    broken record;
BEGIN
    -- Only the trigger of updates has the rows from before. An entry that replaced another one in
    -- its row has an id of its own.
    IF TG_OP = 'UPDATE' THEN
        SELECT array_agg(DISTINCT user_id) INTO owners
        FROM (SELECT id, user_id, position, game_id, platform_id, comment, rating, tags
              FROM changed
              EXCEPT ALL
              SELECT id, user_id, position, game_id, platform_id, comment, rating, tags
              FROM before) c;
    ELSE
        SELECT array_agg(DISTINCT user_id) INTO owners FROM changed;
    END IF;
    IF owners IS NULL THEN
        RETURN NULL;
    END IF;

    -- The next writer of the same list waits here until this one has committed, and then sees its
    -- entries in the check below, which takes a snapshot of its own. Under REPEATABLE READ it gets
    -- a serialization failure instead. The update locks a single list by itself.
    IF cardinality(owners) > 1 THEN
        PERFORM FROM lists WHERE user_id = ANY (owners) ORDER BY user_id FOR NO KEY UPDATE;
    END IF;
    UPDATE lists SET version = version + 1, updated_at = clock_timestamp()
    WHERE user_id = ANY (owners);

    SELECT e.user_id, max(e.position) <> count(*) AS has_hole INTO broken
    FROM entries e JOIN lists l USING (user_id)
    WHERE e.user_id = ANY (owners)
    GROUP BY e.user_id
    HAVING max(e.position) <> count(*) OR bool_or(e.audience <> l.audience)
    LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF broken.has_hole THEN
        RAISE EXCEPTION 'the positions of the list of user % have a hole', broken.user_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'entries_position_holes';
    END IF;
    RAISE EXCEPTION 'the audience of the list of user % changed at the same time', broken.user_id
        USING ERRCODE = 'serialization_failure';
END $$;

-- Counts. Every transaction takes its rows of included_by in the order of platform and game, whether
-- it makes a row or locks it, and takes all that it will need at once. So two transactions never wait
-- for each other in a circle. Servers of the version before do the same.

-- Makes the rows that are missing for these games and platforms, and locks the others.
CREATE FUNCTION make_counts(platforms integer[], games integer[]) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO included_by AS i (platform_id, game_id, sort_name, count)
    SELECT p.platform_id, p.game_id, g.sort_name, 0
    FROM unnest(platforms, make_counts.games) AS p (platform_id, game_id)
    JOIN games g ON g.id = p.game_id
    ORDER BY p.platform_id, p.game_id
    ON CONFLICT (platform_id, game_id) DO UPDATE SET count = i.count;
END $$;

-- Adds a number to each count.
--
--   is_missing   Whether some of the games and platforms have no row yet.
CREATE FUNCTION change_counts(
    platforms integer[], games integer[], deltas bigint[], is_missing boolean
) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    IF platforms IS NULL THEN
        RETURN;
    END IF;
    IF is_missing THEN
        PERFORM make_counts(platforms, games);
    END IF;
    WITH locked AS (
        SELECT i.platform_id, i.game_id, d.delta
        FROM unnest(platforms, games, deltas) AS d (platform_id, game_id, delta)
        JOIN included_by i USING (platform_id, game_id)
        ORDER BY i.platform_id, i.game_id FOR NO KEY UPDATE OF i
    )
    UPDATE included_by i SET count = i.count + l.delta
    FROM locked l WHERE (i.platform_id, i.game_id) = (l.platform_id, l.game_id);
END $$;

CREATE OR REPLACE FUNCTION count_added() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_counts(array_agg(d.platform_id), array_agg(d.game_id), array_agg(d.delta),
                          bool_or(i.game_id IS NULL))
    FROM (SELECT platform_id, game_id, count(*) AS delta
          FROM added WHERE audience <> 'hidden' GROUP BY platform_id, game_id) d
    LEFT JOIN included_by i USING (platform_id, game_id);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_removed() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_counts(array_agg(platform_id), array_agg(game_id), array_agg(delta), false)
    FROM (SELECT platform_id, game_id, -count(*) AS delta
          FROM removed WHERE audience <> 'hidden' GROUP BY platform_id, game_id) d;
    RETURN NULL;
END $$;

-- For an entry that was given another game or platform, or was hidden or shown.
CREATE OR REPLACE FUNCTION count_moved() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_counts(array_agg(d.platform_id), array_agg(d.game_id), array_agg(d.delta),
                          bool_or(i.game_id IS NULL))
    FROM (SELECT platform_id, game_id, sum(step) AS delta
          FROM (SELECT platform_id, game_id, 1 AS step FROM added WHERE audience <> 'hidden'
                UNION ALL
                SELECT platform_id, game_id, -1 FROM removed WHERE audience <> 'hidden') steps
          GROUP BY platform_id, game_id HAVING sum(step) <> 0) d
    LEFT JOIN included_by i USING (platform_id, game_id);
    RETURN NULL;
END $$;

-- Locks the counts that change when a user's list becomes one of these games and platforms.
CREATE FUNCTION lock_counts(owner uuid, platforms integer[], games integer[]) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    moved_platforms integer[];
    moved_games     integer[];
    is_missing      boolean;
BEGIN
    SELECT array_agg(m.platform_id), array_agg(m.game_id), bool_or(i.game_id IS NULL)
    INTO moved_platforms, moved_games, is_missing
    FROM (SELECT platform_id, game_id
          FROM (SELECT platform_id, game_id, -1 AS step FROM entries WHERE user_id = owner
                UNION ALL
                SELECT platform_id, game_id, 1
                FROM unnest(platforms, lock_counts.games) AS n (platform_id, game_id)) steps
          GROUP BY platform_id, game_id HAVING sum(step) <> 0) m
    LEFT JOIN included_by i USING (platform_id, game_id);
    IF is_missing THEN
        PERFORM make_counts(moved_platforms, moved_games);
    ELSE
        PERFORM FROM included_by i
        JOIN unnest(moved_platforms, moved_games) AS m (platform_id, game_id)
             USING (platform_id, game_id)
        ORDER BY i.platform_id, i.game_id FOR NO KEY UPDATE OF i;
    END IF;
END $$;

-- Saves a user's whole list. The arrays have an item for each entry, in the order of the list.
--
-- A new entry takes the row of one that is gone, so that most saves are an update, which changes all
-- counts together.
--
--   base   The version of the list that is replaced. If it has another one now, this is a
--          serialization failure. NULL for a caller that has locked the list.
--   ids    NULL for a new entry.
--   tags   Separated by commas.
--
-- With generic plans, which also the triggers use, nothing is planned anew: PostgreSQL takes arrays
-- for longer than they are, and would plan for the length of each.
CREATE FUNCTION save_list(
    owner uuid, base bigint, ids uuid[], platforms integer[], games integer[], comments text[],
    ratings smallint[], tags text[]
) RETURNS void
    LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    size  integer := cardinality(ids);
    spare uuid[];  -- the rows of entries that are gone, in order
    had   integer;
BEGIN
    -- A writer of the same list that came first has committed once this has the lock. Then the
    -- version is another one, and no row is found.
    PERFORM FROM lists WHERE user_id = owner AND (base IS NULL OR version = base)
    FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the list of user % is not in version %', owner, base
            USING ERRCODE = 'serialization_failure', CONSTRAINT = 'lists_version';
    END IF;

    SELECT array_agg(id ORDER BY position) FILTER (WHERE (id = ANY (ids)) IS NOT TRUE), count(*)
    INTO spare, had
    FROM entries WHERE user_id = owner;
    IF cardinality(array_remove(ids, NULL)) <> had - coalesce(cardinality(spare), 0) THEN
        RAISE EXCEPTION 'an id is not of an entry of the list of user %', owner
            USING ERRCODE = 'invalid_parameter_value';
    END IF;

    -- Then both an update and an insertion or deletion change counts, one after the other.
    IF had <> size THEN
        PERFORM lock_counts(owner, platforms, games);
    END IF;

    -- One statement, so that the triggers and the constraints on positions see only its end.
    WITH wanted AS (
        SELECT w.id, w.position, w.platform_id, w.game_id, w.comment, w.rating,
               string_to_array(w.tags, ',') AS tags,
               -- The first new entry takes the first spare row, and so on.
               coalesce(w.id, spare[count(*) FILTER (WHERE w.id IS NULL)
                                    OVER (ORDER BY w.position)]) AS row_id
        FROM unnest(ids, platforms, games, comments, ratings, save_list.tags) WITH ORDINALITY
             AS w (id, platform_id, game_id, comment, rating, tags, position)
    ), removed AS (
        DELETE FROM entries e
        WHERE e.user_id = owner AND had > size
          AND NOT EXISTS (SELECT FROM wanted w WHERE w.row_id = e.id)
    ), changed AS (
        UPDATE entries e
        SET id          = coalesce(w.id, gen_random_uuid()),
            position    = w.position,
            platform_id = w.platform_id,
            game_id     = w.game_id,
            comment     = w.comment,
            rating      = w.rating,
            tags        = w.tags,
            created_at  = CASE WHEN w.id IS NULL THEN now() ELSE e.created_at END,
            updated_at  = CASE WHEN (w.id, w.platform_id, w.game_id, w.comment, w.rating, w.tags)
                                    IS NOT DISTINCT FROM
                                    (e.id, e.platform_id, e.game_id, e.comment, e.rating, e.tags)
                               THEN e.updated_at ELSE now() END
        FROM wanted w
        WHERE e.id = w.row_id AND e.user_id = owner
          AND (w.id, w.position, w.platform_id, w.game_id, w.comment, w.rating, w.tags)
              IS DISTINCT FROM
              (e.id, e.position, e.platform_id, e.game_id, e.comment, e.rating, e.tags)
    )
    INSERT INTO entries (user_id, position, platform_id, game_id, comment, rating, tags)
    SELECT owner, w.position, w.platform_id, w.game_id, w.comment, w.rating, w.tags
    FROM wanted w WHERE w.row_id IS NULL;
END $$;
