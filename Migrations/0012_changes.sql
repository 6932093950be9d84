-- Changes: a note of everything that makes cached responses outdated.
--
-- A server asks before it uses a cached response: which changes are visible now that were not
-- visible in the snapshot of my last question? All tables with something that public pages or the
-- API show are tracked here, so it does not matter who writes: a server, fave-admin or psql.
--
-- The table is only ever inserted into, so writers never wait for each other. Its order is that of
-- visibility, which only snapshots know: neither a sequence nor a time follows the order of
-- commits.

CREATE TABLE changes (
    xid  xid8        NOT NULL DEFAULT pg_current_xact_id(),
    keys text[]      NOT NULL,
    at   timestamptz NOT NULL DEFAULT clock_timestamp()
);

COMMENT ON TABLE changes IS
    'What has changed in the last minutes, for servers that cache responses. The oldest row says '
    'up to where older ones have been deleted, so there is always one';
COMMENT ON COLUMN changes.keys IS
    'What changed; "*" is everything. Freshness/ChangeKeys.swift says what each key stands for';

CREATE INDEX changes_xid ON changes (xid);

INSERT INTO changes (keys) VALUES ('{}');

-- Functions --------------------------------------------------------------------------------------

-- Notes a change. One of more things than are worth naming is a change of everything.
CREATE FUNCTION note_changes(keys text[]) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.changes (keys)
    SELECT CASE WHEN cardinality(note_changes.keys) > 500 THEN '{*}' ELSE note_changes.keys END
    WHERE cardinality(note_changes.keys) > 0;
END $$;

CREATE FUNCTION note_truncation() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM public.note_changes('{*}');
    RETURN NULL;
END $$;

-- Deletes about `bound` changes at most that servers no longer need, and returns their number.
-- Servers need the changes after the snapshots of the last ten minutes, and one before these. The
-- oldest are deleted first, and all of one transaction together, so that no change is missing after
-- the oldest that is left.
--
-- Rows that were restored from another cluster may have transactions that are still to come here.
-- They are deleted, too, and if no row is left one is added.
CREATE FUNCTION delete_changes(bound integer) RETURNS bigint
    LANGUAGE plpgsql AS $$
DECLARE
    old    bigint;
    future bigint;
BEGIN
    DELETE FROM public.changes
    WHERE xid < (SELECT xid FROM public.changes
                 WHERE at < clock_timestamp() - interval '10 minutes'
                   AND xid < pg_snapshot_xmin(pg_current_snapshot())
                 ORDER BY xid DESC LIMIT 1)
      AND xid <= coalesce((SELECT xid FROM public.changes ORDER BY xid OFFSET bound - 1 LIMIT 1),
                          pg_current_xact_id());
    GET DIAGNOSTICS old = ROW_COUNT;
    DELETE FROM public.changes WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM public.changes WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())
        LIMIT bound));
    GET DIAGNOSTICS future = ROW_COUNT;
    INSERT INTO public.changes (keys)
    SELECT '{}' WHERE NOT EXISTS (
        SELECT FROM public.changes WHERE xid < pg_snapshot_xmax(pg_current_snapshot()));
    RETURN old + future;
END $$;

-- Has the changes of a table noted, by a trigger function that it makes. Its triggers come last, so
-- that they see what the others have done.
--
--   keys       What a changed row means. {x} is the value of a column: of the row, as it was and as
--              it is, or of what is joined to it.
--   columns    The columns of the row that count: an update that changes none of them is not noted.
--              NULL for all of them, changed or not. The columns in keys must be among them.
--   joined     What is joined to the row, which is `r`.
--   directly   Whether to leave out what other triggers change. That is noted for another table.
--
-- The statements are written out for each table, so that PostgreSQL plans them once in a session.
CREATE PROCEDURE track(
    tracked regclass, keys text[], columns text[] DEFAULT NULL, joined text DEFAULT '',
    directly boolean DEFAULT false
)
    LANGUAGE plpgsql AS $procedure$
DECLARE
    -- A table that is tracked more than once has a first key for each.
    subject  text := CASE keys[1] WHEN '*' THEN 'everything'
                                  ELSE replace(split_part(keys[1], ' {', 1), ' ', '_') END;
    function text := format('public.note_%s_as_%s',
                            (SELECT relname FROM pg_class WHERE oid = tracked), subject);
    updated  text := '(SELECT * FROM before UNION ALL SELECT * FROM after)';
    note     text;
    event    text;
BEGIN
    IF columns IS NOT NULL THEN
        updated := format('((SELECT %1$s FROM before EXCEPT ALL SELECT %1$s FROM after)
                   UNION ALL
                   (SELECT %1$s FROM after EXCEPT ALL SELECT %1$s FROM before))',
                          array_to_string(columns, ', '));
    END IF;
    -- 'user {e.user_id}' becomes 'user ' || e.user_id.
    SELECT format($insert$INSERT INTO public.changes (keys)
        SELECT CASE WHEN count(*) > 500 THEN '{*}' ELSE array_agg(key) END
        FROM (SELECT DISTINCT unnest(ARRAY[%s]::text[]) AS key
              FROM %%s r %s) k
        HAVING count(*) > 0$insert$,
                  string_agg(regexp_replace(regexp_replace(
                      quote_literal(key), '\{(\w+)\}', '{r.\1}', 'g'),
                      '\{([\w.]+)\}', ''' || \1 || ''', 'g'), ', '), joined)
    INTO note FROM unnest(keys) key;
    EXECUTE format($create$CREATE OR REPLACE FUNCTION %s() RETURNS trigger
        LANGUAGE plpgsql AS %L$create$, function, format($body$
BEGIN
    IF TG_OP = 'INSERT' THEN
        %s;
    ELSIF TG_OP = 'DELETE' THEN
        %s;
    ELSE
        %s;
    END IF;
    RETURN NULL;
END $body$, format(note, 'after'), format(note, 'before'), format(note, updated)));
    EXECUTE format('COMMENT ON FUNCTION %s() IS %L', function, 'Made by track()');

    FOREACH event IN ARRAY '{insert,update,delete}'::text[] LOOP
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER z_note_%s_on_%s AFTER %s ON %s REFERENCING %s
             FOR EACH STATEMENT %s EXECUTE FUNCTION %s()',
            subject, event, event, tracked,
            CASE event WHEN 'insert' THEN 'NEW TABLE AS after'
                       WHEN 'delete' THEN 'OLD TABLE AS before'
                       ELSE 'OLD TABLE AS before NEW TABLE AS after' END,
            CASE WHEN directly THEN 'WHEN (pg_trigger_depth() = 0)' ELSE '' END, function);
    END LOOP;
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER z_note_truncation AFTER TRUNCATE ON %s
         FOR EACH STATEMENT EXECUTE FUNCTION public.note_truncation()', tracked);
END $procedure$;

-- Tracked tables ---------------------------------------------------------------------------------

-- The catalogue. Most updates of games move no more than the number of ratings, which is seen in
-- searches only. For a new name, copy_sort_name() notes the rankings.
CALL track('platforms', ARRAY['platforms']);
CALL track('games', ARRAY['catalogue'],
           '{id, name, localized_names, release_year, cover_image_id, type, is_edition,
             screenshot_image_ids, rating_count, is_hidden}');
CALL track('games', ARRAY['game {id}'],
           '{id, name, localized_names, release_year, cover_image_id, type, is_edition,
             screenshot_image_ids, is_hidden}');
CALL track('game_platforms', ARRAY['catalogue', 'game {game_id}']);
CALL track('game_names', ARRAY['catalogue']);

-- Entries: the contents of a list, a ranking, a game's page and everyone's entries. Triggers of entries
-- change lists and counts, too. These tables are tracked only for direct changes.
CALL track('entries', ARRAY['entries', 'lists', 'rankings', 'user {user_id}',
                            'ranking {platform_id}', 'game {game_id}']);
CALL track('lists', ARRAY['lists', 'user {user_id}'], directly => true);
CALL track('included_by', ARRAY['rankings', 'ranking {platform_id}', 'game {game_id}'],
           directly => true);
CALL track('past_ranks', ARRAY['past ranks']);

-- People: their own pages, and all pages with their names beside an entry.
CALL track('users', ARRAY['users', 'user {id}'],
           '{id, username, display_name, bio, visibility, disabled_at, created_at, shows_ratings,
             new_until, language}');
CALL track('users', ARRAY['entries', 'lists', 'rankings', 'user {id}', 'ranking {e.platform_id}',
                          'game {e.game_id}'],
           '{id, username, display_name, bio, visibility, disabled_at, created_at, shows_ratings,
             new_until}',
           'JOIN public.entries e ON e.user_id = r.id');

-- What belongs to someone's pages.
CALL track('snapshots', ARRAY['user {user_id}']);
CALL track('snapshot_entries', ARRAY['user {s.user_id}'],
           joined => 'JOIN public.snapshots s ON s.id = r.snapshot_id');
-- Whether a comment comes first is a column of its entry.
CALL track('heart_counts', ARRAY['user {e.user_id}', 'hearts {e.game_id}'], '{entry_id, count}',
           'JOIN public.entries e ON e.id = r.entry_id');

-- Whom people don't see.
CALL track('blocks', ARRAY['blocks {blocker_id}', 'blocks {blocked_id}']);

CALL track('circles', ARRAY['circle {id}']);
CALL track('circle_members', ARRAY['circle {circle_id}']);

-- Cursors in responses are sealed with a key, and of no use once it is deleted.
CALL track('signing_keys', ARRAY['*']);

-- References -------------------------------------------------------------------------------------

-- What a row belongs to does not change: it would get round what triggers see to when rows are made and
-- deleted. Entries are the exception, whose rows are used again for other games. A reference may be
-- cleared where its foreign key does that.
DO $$
DECLARE
    referring record;
BEGIN
    FOR referring IN
        SELECT c.conrelid::regclass AS name, array_agg(a.attname::text) AS columns,
               coalesce(array_agg(a.attname::text) FILTER (WHERE 'n' IN (c.confdeltype, c.confupdtype)),
                        '{}') AS clearable
        FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
        WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace
          AND NOT EXISTS (SELECT FROM pg_trigger t
                          WHERE t.tgrelid = c.conrelid AND t.tgfoid = 'refuse_change'::regproc)
        GROUP BY c.conrelid
    LOOP
        CALL hold_constant(referring.name, referring.columns, referring.clearable);
    END LOOP;
END $$;

-- There is no reference, since a count may outlive its entry.
CALL hold_constant('heart_counts', '{entry_id}');
