-- Most saves replace entries and leave their number as it is. These are one UPDATE now. A statement that
-- may also insert and delete runs the triggers for all three, even for those that touch no row.
--
-- Only functions are made or replaced here, so nobody waits for a lock.
-- oldest-server: 12

-- The entries that a list is to have, each with the row that it takes. The first new entry takes the
-- first spare row, and so on; `row_id` is NULL for those that none is left for.
--
-- Copied into the statements that call it.
CREATE FUNCTION wanted_entries(
    ids uuid[], platforms integer[], games integer[], comments text[], ratings smallint[],
    tags text[], spare uuid[]
) RETURNS TABLE (
    id uuid, "position" bigint, platform_id integer, game_id integer, comment text,
    rating smallint, tags text[], row_id uuid
)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT w.id, w.position, w.platform_id, w.game_id, w.comment, w.rating,
           string_to_array(w.tags, ','),
           coalesce(w.id, spare[count(*) FILTER (WHERE w.id IS NULL) OVER (ORDER BY w.position)])
    FROM unnest(ids, platforms, games, comments, ratings, wanted_entries.tags) WITH ORDINALITY
         AS w (id, platform_id, game_id, comment, rating, tags, position)
$$;
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
CREATE OR REPLACE FUNCTION save_list(
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

    IF had = size THEN
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
        FROM wanted_entries(ids, platforms, games, comments, ratings, save_list.tags, spare) w
        WHERE e.id = w.row_id AND e.user_id = owner
          AND (w.id, w.position, w.platform_id, w.game_id, w.comment, w.rating, w.tags)
              IS DISTINCT FROM
              (e.id, e.position, e.platform_id, e.game_id, e.comment, e.rating, e.tags);
        RETURN;
    END IF;

    -- Both an update and an insertion or deletion change counts, one after the other.
    PERFORM lock_counts(owner, platforms, games);

    -- One statement, so that the triggers and the constraints on positions see only its end.
    WITH wanted AS (
        SELECT * FROM wanted_entries(ids, platforms, games, comments, ratings, save_list.tags, spare)
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
