-- Included-by counts, which rankings read, and where games stood in rankings before.
--
-- The rules held here:
--   * counts equal the aggregate over entries that are not hidden  count_entries(), count_nothing()
--   * equal counts are ordered by the games' names                 copy_sort_name(), make_counts()
--   * hidden games count nowhere, and never did                    move_games()
--
-- Every transaction takes its rows of included_by in the order of platform and game, whether it
-- makes a row or locks it, and takes all that it will need at once. So no two transactions wait for
-- each other in a circle.

CREATE TABLE included_by (
    platform_id integer NOT NULL REFERENCES platforms,
    game_id     integer NOT NULL REFERENCES games,
    sort_name   text    COLLATE "C" NOT NULL,
    count       integer NOT NULL CONSTRAINT included_by_count_check CHECK (count >= 0),
    -- In this order, since those of a game are looked for when it is renamed or hidden.
    PRIMARY KEY (game_id, platform_id)
);

COMMENT ON TABLE included_by IS
    'How many lists include a game on a platform: public and unlisted ones. mend_counts() derives '
    'this from the entries again. A game that nobody includes any more keeps its row, at zero';
COMMENT ON COLUMN included_by.sort_name IS 'The game''s';

-- Rankings read and page through this. The negated count gives all columns one direction, so that a
-- page begins with one row comparison.
CREATE INDEX included_by_ranking ON included_by (platform_id, (-count), sort_name, game_id)
    WHERE count > 0;

CREATE TABLE past_ranks (
    platform_id integer NOT NULL REFERENCES platforms,
    taken_on    date    NOT NULL,
    game_id     integer NOT NULL REFERENCES games,
    rank        integer NOT NULL CHECK (rank > 0),
    PRIMARY KEY (platform_id, taken_on, game_id)
);

COMMENT ON TABLE past_ranks IS
    'The first hundred of each platform''s ranking on a day. What is a week old says how games '
    'have moved';

CREATE INDEX past_ranks_age ON past_ranks (taken_on);

-- Functions --------------------------------------------------------------------------------------

-- Makes the counts that are missing for these games and platforms, and locks the others. Also locks
-- the games: a transaction that renames one waits for the new count, or the other way round.
CREATE FUNCTION make_counts(platforms integer[], games integer[]) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.included_by AS i (platform_id, game_id, sort_name, count)
    SELECT p.platform_id, p.game_id, g.sort_name, 0
    FROM unnest(platforms, make_counts.games) AS p (platform_id, game_id)
    JOIN public.games g ON g.id = p.game_id
    ORDER BY p.platform_id, p.game_id FOR SHARE OF g
    ON CONFLICT (platform_id, game_id) DO UPDATE SET count = i.count;
END $$;

-- Locks the counts of these games and platforms.
--
--   is_missing   Whether some of them have no row yet.
CREATE FUNCTION lock_counts(
    platforms integer[], games integer[], is_missing boolean
) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    IF is_missing THEN
        PERFORM public.make_counts(platforms, lock_counts.games);
    ELSE
        PERFORM FROM public.included_by i
        JOIN unnest(platforms, lock_counts.games) AS p (platform_id, game_id)
             USING (platform_id, game_id)
        ORDER BY i.platform_id, i.game_id FOR NO KEY UPDATE OF i;
    END IF;
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
        PERFORM public.make_counts(platforms, change_counts.games);
    END IF;
    WITH locked AS (
        SELECT i.platform_id, i.game_id, d.delta
        FROM unnest(platforms, change_counts.games, deltas) AS d (platform_id, game_id, delta)
        JOIN public.included_by i USING (platform_id, game_id)
        ORDER BY i.platform_id, i.game_id FOR NO KEY UPDATE OF i
    )
    UPDATE public.included_by i SET count = i.count + l.delta
    FROM locked l WHERE (i.platform_id, i.game_id) = (l.platform_id, l.game_id);
END $$;

-- Triggers ---------------------------------------------------------------------------------------

CREATE FUNCTION count_entries() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM public.change_counts(array_agg(d.platform_id), array_agg(d.game_id),
                                     array_agg(d.delta), bool_or(i.game_id IS NULL))
        FROM (SELECT platform_id, game_id, count(*) AS delta
              FROM added WHERE audience <> 'hidden' GROUP BY platform_id, game_id) d
        LEFT JOIN public.included_by i USING (platform_id, game_id);
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM public.change_counts(array_agg(platform_id), array_agg(game_id), array_agg(delta),
                                     false)
        FROM (SELECT platform_id, game_id, -count(*) AS delta
              FROM removed WHERE audience <> 'hidden' GROUP BY platform_id, game_id) d;
    ELSE
        -- An entry was given another game or platform, or was hidden or shown.
        PERFORM public.change_counts(array_agg(d.platform_id), array_agg(d.game_id),
                                     array_agg(d.delta), bool_or(i.game_id IS NULL))
        FROM (SELECT platform_id, game_id, sum(step) AS delta
              FROM (SELECT platform_id, game_id, 1 AS step FROM added WHERE audience <> 'hidden'
                    UNION ALL
                    SELECT platform_id, game_id, -1 FROM removed WHERE audience <> 'hidden') steps
              GROUP BY platform_id, game_id HAVING sum(step) <> 0) d
        LEFT JOIN public.included_by i USING (platform_id, game_id);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER count_insert AFTER INSERT ON entries REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_entries();
CREATE TRIGGER count_update AFTER UPDATE ON entries
    REFERENCING OLD TABLE AS removed NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_entries();
CREATE TRIGGER count_delete AFTER DELETE ON entries REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION count_entries();

CREATE FUNCTION count_nothing() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    UPDATE public.included_by SET count = 0 WHERE count > 0;
    UPDATE public.lists SET version = version + 1, updated_at = clock_timestamp()
    WHERE updated_at IS NOT NULL;
    RETURN NULL;
END $$;

CREATE TRIGGER count_nothing AFTER TRUNCATE ON entries
    FOR EACH STATEMENT EXECUTE FUNCTION count_nothing();

-- Carries a game's new name into the order of rankings, and notes that, also for pages that do not
-- show the game.
CREATE FUNCTION copy_sort_name() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    renamed integer[];
BEGIN
    SELECT array_agg(a.id) INTO renamed
    FROM after a JOIN before b USING (id) WHERE a.sort_name <> b.sort_name;
    IF renamed IS NULL THEN
        RETURN NULL;
    END IF;
    WITH locked AS (
        SELECT i.platform_id, i.game_id, g.sort_name
        FROM public.included_by i JOIN public.games g ON g.id = i.game_id
        WHERE i.game_id = ANY (renamed)
        ORDER BY i.platform_id, i.game_id FOR NO KEY UPDATE OF i
    ), moved AS (
        UPDATE public.included_by i SET sort_name = l.sort_name
        FROM locked l WHERE (i.platform_id, i.game_id) = (l.platform_id, l.game_id)
        RETURNING i.platform_id
    )
    INSERT INTO public.changes (keys)
    SELECT array_agg(DISTINCT 'ranking ' || platform_id) || '{rankings}'::text[] FROM moved
    HAVING count(*) > 0;
    RETURN NULL;
END $$;

CREATE TRIGGER copy_sort_name AFTER UPDATE ON games
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION copy_sort_name();

-- Repair -----------------------------------------------------------------------------------------

-- The counts of a platform that are not those of the entries, or not in the order of the games' names.
-- Something wrote while the triggers were switched off.
CREATE FUNCTION count_differences(platform integer)
    RETURNS TABLE (game_id integer, stored integer, actual integer)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
        SELECT g.id, coalesce(i.count, 0), coalesce(a.count, 0)
        FROM (SELECT * FROM included_by WHERE platform_id = platform) i
        FULL JOIN (SELECT e.game_id, count(*)::integer AS count FROM entries e
                   WHERE e.platform_id = platform AND e.audience <> 'hidden'
                   GROUP BY e.game_id) a ON a.game_id = i.game_id
        JOIN games g ON g.id = coalesce(i.game_id, a.game_id)
        WHERE coalesce(i.count, 0) <> coalesce(a.count, 0) OR i.sort_name <> g.sort_name;
    END;

-- Derives these counts again, even while others write.
--
-- Returns how many there were.
CREATE FUNCTION mend_counts(platform integer) RETURNS integer
    LANGUAGE plpgsql AS $$
DECLARE
    wrong CONSTANT integer[] := ARRAY(SELECT d.game_id FROM public.count_differences(platform) d
                                      ORDER BY d.game_id);
BEGIN
    IF wrong = '{}' THEN
        RETURN 0;
    END IF;
    PERFORM public.make_counts(array_fill(platform, ARRAY[cardinality(wrong)]), wrong);
    -- In another statement, whose snapshot is newer than the locks.
    UPDATE public.included_by i
    SET sort_name = g.sort_name,
        count = (SELECT count(*) FROM public.entries e
                 WHERE (e.platform_id, e.game_id) = (platform, g.id) AND e.audience <> 'hidden')
    FROM public.games g
    WHERE (i.platform_id, i.game_id) = (platform, g.id) AND g.id = ANY (wrong);
    RETURN cardinality(wrong);
END $$;

-- Games for adults -------------------------------------------------------------------------------

-- Gives the entries with these games the audience that they should have, and so changes the counts.
-- The past ranks are as if the games that are hidden had never been shown.
--
-- A list that another transaction is just saving may be missed; hide_missed_entries() finds that. A
-- transaction does this once: it locks lists, and then counts.
--
--   renamed   Games whose counts the same statement changes afterwards, to be locked together with the
--             others.
CREATE FUNCTION move_entries(moved integer[], renamed integer[] DEFAULT '{}') RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    owners    uuid[];
    concerned integer[];
BEGIN
    -- Two that rank the same platform's past again would spoil each other's ranks.
    PERFORM pg_advisory_xact_lock(hashtext('move_entries'));
    SELECT array_agg(user_id) INTO owners
    FROM (SELECT user_id FROM public.lists
          WHERE user_id IN (SELECT user_id FROM public.entries WHERE game_id = ANY (moved))
          ORDER BY user_id FOR NO KEY UPDATE) l;
    PERFORM public.lock_counts(array_agg(c.platform_id), array_agg(c.game_id),
                               bool_or(i.game_id IS NULL))
    FROM (SELECT platform_id, game_id FROM public.entries
          WHERE game_id = ANY (moved) AND user_id = ANY (owners)
          UNION
          SELECT platform_id, game_id FROM public.included_by WHERE game_id = ANY (renamed)) c
    LEFT JOIN public.included_by i USING (platform_id, game_id);
    -- Not the entries of lists that were saved only now, which are not locked.
    UPDATE public.entries e SET audience = public.audience_of_entry(l.audience, e.game_id)
    FROM public.lists l
    WHERE l.user_id = e.user_id AND e.game_id = ANY (moved) AND e.user_id = ANY (owners)
      AND e.audience <> public.audience_of_entry(l.audience, e.game_id);

    concerned := ARRAY(SELECT DISTINCT platform_id FROM public.game_platforms
                       WHERE game_id = ANY (moved));
    DELETE FROM public.past_ranks
    WHERE platform_id = ANY (concerned)
      AND game_id IN (SELECT id FROM public.games WHERE id = ANY (moved) AND is_hidden);
    IF FOUND THEN
        UPDATE public.past_ranks p SET rank = r.rank
        FROM (SELECT platform_id, taken_on, game_id,
                     rank() OVER (PARTITION BY platform_id, taken_on ORDER BY rank) AS rank
              FROM public.past_ranks WHERE platform_id = ANY (concerned)) r
        WHERE (p.platform_id, p.taken_on, p.game_id) = (r.platform_id, r.taken_on, r.game_id)
          AND p.rank <> r.rank;
    END IF;
END $$;

CREATE FUNCTION move_games() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    moved   integer[];
    renamed integer[];
BEGIN
    SELECT array_agg(a.id) FILTER (WHERE a.is_hidden <> b.is_hidden),
           array_agg(a.id) FILTER (WHERE a.sort_name <> b.sort_name)
    INTO moved, renamed
    FROM after a JOIN before b USING (id);
    IF moved IS NOT NULL THEN
        PERFORM public.move_entries(moved, renamed);
    END IF;
    RETURN NULL;
END $$;

-- Locks lists, so it comes before copy_sort_name, which locks counts.
CREATE TRIGGER a_move_games AFTER UPDATE ON games
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION move_games();

-- Hides the entries that move_entries() has missed, because they were just being saved. Maintenance
-- calls this, too.
CREATE FUNCTION hide_missed_entries() RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM public.move_entries(array_agg(g.id)) FROM public.games g
    WHERE g.is_hidden
      AND EXISTS (SELECT FROM public.entries e WHERE e.game_id = g.id AND e.audience <> 'hidden')
    HAVING count(*) > 0;
END $$;

-- Says whether the site shows games for adults only. If nothing changes, hides missed entries.
--
-- Writes nothing if nothing changes, since a server may also start while the database can't be written.
CREATE FUNCTION show_adult_games(shown boolean) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM public.adult_games WHERE are_shown <> shown) THEN
        UPDATE public.adult_games SET are_shown = shown;
    END IF;
    IF EXISTS (SELECT FROM public.games
               WHERE public.is_adult(adult_by_hand, adult_theme, adult_rating)
                 AND is_hidden = shown) THEN
        UPDATE public.games SET is_hidden = NOT shown
        WHERE id IN (SELECT id FROM public.games
                     WHERE public.is_adult(adult_by_hand, adult_theme, adult_rating)
                       AND is_hidden = shown
                     ORDER BY id FOR NO KEY UPDATE);
    ELSE
        PERFORM public.hide_missed_entries();
    END IF;
END $$;
