-- Lists of at most five entries: one for each user. save_list() saves a list as a whole.
--
-- The rules held here, whatever the program does and however writers race:
--   * positions 1 to 5, each once, without holes   entries_position_check, list_changed()
--   * a game once for each platform                entries_game_key
--   * only platforms that the game is on           entries_game_platform_fkey
--   * an entry stays on its list                   entries_constant
--   * entries say who may see them as their list
--     does, and lists as their owners' accounts    copy_audience(), move_audience(), list_changed(),
--                                                  check_audience()
--   * an entry with a hidden game is hidden, and
--     no such game comes onto a list               copy_audience(), save_list()

-- The audience of a list. A hidden list is shown to its owner at most, and does not count. An unlisted
-- list counts, and is shown to people with the link.
CREATE FUNCTION audience_of(
    visibility text, disabled_at timestamptz, new_until timestamptz
) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN disabled_at IS NOT NULL OR visibility = 'private' THEN 'hidden'
                WHEN new_until IS NOT NULL THEN 'unlisted'
                ELSE visibility END;

CREATE TABLE lists (
    user_id    uuid        PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    version    bigint      NOT NULL DEFAULT 0,
    updated_at timestamptz,
    audience   text        NOT NULL DEFAULT 'public'
                           CONSTRAINT lists_audience_check
                           CHECK (audience IN ('public', 'unlisted', 'hidden'))
);

COMMENT ON TABLE lists IS
    'The list of each user. Changes with every entry, so it is not a part of users, whose index '
    'for searches would change, too';
COMMENT ON COLUMN lists.version IS
    'Counts the changes. Every change of entries touches this row, so that two writers of one list '
    'wait for each other';
COMMENT ON COLUMN lists.updated_at IS 'When the list last changed; NULL if it never did';
COMMENT ON COLUMN lists.audience IS 'audience_of() its owner';

CREATE INDEX lists_recent ON lists (updated_at DESC, user_id DESC)
    WHERE updated_at IS NOT NULL AND audience = 'public';

-- Whether these can be the tags of an entry. The function is in PL/pgSQL, since each statement that
-- calls one in SQL would plan it again.
CREATE FUNCTION are_tags(text[]) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN $1 = '{}'
        OR cardinality($1) <= 5
           AND (SELECT bool_and(tag <> '' AND char_length(tag) <= 30 AND tag !~ '[,，、،#]')
                       AND count(DISTINCT tag) = cardinality($1)
                FROM unnest($1) AS t (tag));
END $$;

CREATE TABLE entries (
    id          uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id     uuid        NOT NULL REFERENCES lists ON DELETE CASCADE,
    position    smallint    NOT NULL
                            CONSTRAINT entries_position_check CHECK (position BETWEEN 1 AND 5),
    game_id     integer     NOT NULL,
    platform_id integer     NOT NULL,
    comment     text        NOT NULL DEFAULT ''
                            CONSTRAINT entries_comment_check CHECK (char_length(comment) <= 1000),
    rating      smallint    CONSTRAINT entries_rating_check CHECK (rating BETWEEN 1 AND 5),
    tags        text[]      NOT NULL DEFAULT '{}'
                            CONSTRAINT entries_tags_check CHECK (are_tags(tags)),
    audience    text        NOT NULL DEFAULT 'public'
                            CONSTRAINT entries_audience_check
                            CHECK (audience IN ('public', 'unlisted', 'hidden')),
    agreed      integer     NOT NULL DEFAULT 0,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    words       tsvector    GENERATED ALWAYS AS
                            (to_tsvector('simple'::regconfig, fold(comment))) STORED,
    -- Checked when the statement ends, so that one UPDATE can swap two games.
    CONSTRAINT entries_game_key UNIQUE (user_id, game_id, platform_id) DEFERRABLE,
    CONSTRAINT entries_game_platform_fkey
        FOREIGN KEY (game_id, platform_id) REFERENCES game_platforms
);

COMMENT ON TABLE entries IS 'The places on lists';
COMMENT ON COLUMN entries.comment IS 'Why its owner loves the game; empty if they do not say';
COMMENT ON COLUMN entries.tags IS 'In the owner''s order; FaveGames.Tag says what they may be like';
COMMENT ON COLUMN entries.audience IS
    'The list''s, so that indexes can leave out what is not public, however much that is. An entry '
    'with a hidden game is hidden: only its owner sees it, and it does not count';
COMMENT ON COLUMN entries.agreed IS
    'How many hearts count toward the order of comments; 0 if they are too few to matter';
COMMENT ON COLUMN entries.words IS 'The words of the comment, for searches';

-- "Who includes this game on this platform", and on whatever platform, the latest first.
CREATE INDEX entries_inclusions
    ON entries (platform_id, game_id, audience, created_at DESC, id DESC);
CREATE INDEX entries_game ON entries (game_id, audience, created_at DESC, id DESC);
-- The same for those whose comments most people agree with: what a ranking and a game's page quote.
CREATE INDEX entries_quotes ON entries (platform_id, game_id, agreed DESC, created_at DESC, id DESC)
    WHERE comment <> '' AND audience = 'public';
CREATE INDEX entries_agreed ON entries (game_id, agreed DESC, created_at DESC, id DESC)
    WHERE agreed > 0 AND audience = 'public';
-- Of everyone's entries, those with the most agreement come first.
CREATE INDEX entries_best ON entries (agreed DESC, created_at DESC, id DESC)
    WHERE agreed > 0 AND audience = 'public';
-- Everyone's entries, the latest first: all, and of a platform; and those with a word or a tag.
CREATE INDEX entries_recent ON entries (created_at DESC, id DESC) WHERE audience = 'public';
CREATE INDEX entries_platform ON entries (platform_id, created_at DESC, id DESC)
    WHERE audience = 'public';
CREATE INDEX entries_words ON entries USING gin (words) WHERE audience = 'public' AND comment <> '';
CREATE INDEX entries_tags ON entries USING gin (tags) WHERE audience = 'public' AND tags <> '{}';

-- The audience of an entry with this game on a list with this audience.
CREATE FUNCTION audience_of_entry(list text, game integer) RETURNS text
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN CASE WHEN EXISTS (SELECT FROM public.games g WHERE g.id = game AND g.is_hidden)
                THEN 'hidden' ELSE list END;
END $$;

CREATE TABLE drafts (
    token_hash bytea       PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    form       text        NOT NULL CHECK (octet_length(form) <= 131072),
    made_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);

COMMENT ON TABLE drafts IS
    'Lists that people begin before they sign up. A draft waits here while they do, for a day at '
    'most';
COMMENT ON COLUMN drafts.token_hash IS 'SHA-256 of a secret that only the browser has';
COMMENT ON COLUMN drafts.form IS 'As the form of the editing page sends it';

CREATE INDEX drafts_age ON drafts (made_at);

-- Saving -----------------------------------------------------------------------------------------

-- An entry that a list is to have. Its place among the others is its position.
CREATE TYPE wanted_entry AS (
    id          uuid,      -- NULL for a new entry
    platform_id integer,
    game_id     integer,
    comment     text,
    rating      smallint,
    tags        text[]
);

-- Saves a user's whole list.
--
-- A new entry takes the row of a removed one. So most saves are one UPDATE, which changes all
-- counts together. A statement that may also insert and delete runs the triggers of all three, even
-- if no row is inserted or deleted.
--
--   base   The version of the list that is replaced. If it has another one now, this is a
--          serialization failure. NULL for a caller that has locked the list.
--
-- A pick that can't be on a list is a violation of a foreign key; the constraint is what it lacks, and
-- the detail its position. A hidden game can only be on a list that it is already on.
--
-- The function and its triggers use generic plans. Otherwise PostgreSQL, which takes arrays for
-- longer than they are, would plan again for the length of each.
CREATE FUNCTION save_list(owner uuid, base bigint, wanted wanted_entry[]) RETURNS void
    LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    size   integer := cardinality(wanted);
    had    integer;
    kept   integer;  -- how many entries stay
    named  integer;  -- how many of the wanted ones have an id,
    known  integer;  -- and how many a game that is on its platform
    taken  uuid[];   -- the row that each takes; NULL without a spare one
    wrong  text;
    -- Of the entries that one save makes, the first on the list is the latest, by a moment. So they
    -- are in the list's order wherever the latest entries come first.
    moment CONSTANT interval := interval '1 microsecond';
BEGIN
    -- A count that this makes must not miss a new name of the game. Games are locked before lists.
    PERFORM FROM unnest(wanted) w JOIN public.games g ON g.id = w.game_id
    WHERE NOT EXISTS (SELECT FROM public.included_by i
                      WHERE (i.platform_id, i.game_id) = (w.platform_id, w.game_id))
    ORDER BY g.id FOR SHARE OF g;

    -- A writer of the same list that came first has committed once this has the lock. Then the
    -- version is another one, and no row is found. Nobody gives a heart to an entry of a locked
    -- list.
    PERFORM FROM public.lists WHERE user_id = owner AND (base IS NULL OR version = base)
    FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the list of user % is not in version %', owner, base
            USING ERRCODE = 'serialization_failure', CONSTRAINT = 'lists_version';
    END IF;

    -- New entries take the spare rows in order.
    SELECT o.entries, o.entries - coalesce(cardinality(o.spare), 0), n.ids, n.picks,
           ARRAY(SELECT coalesce(w.id, o.spare[count(*) FILTER (WHERE w.id IS NULL)
                                               OVER (ORDER BY w.ordinality)])
                 FROM unnest(wanted) WITH ORDINALITY w ORDER BY w.ordinality)
    INTO had, kept, named, known, taken
    FROM (SELECT count(*) AS entries,
                 array_agg(e.id ORDER BY e.position)
                 FILTER (WHERE (e.id IN (SELECT w.id FROM unnest(wanted) w)) IS NOT TRUE) AS spare
          FROM public.entries e WHERE e.user_id = owner) o,
         (SELECT count(w.id) AS ids, count(p.game_id) FILTER (WHERE h.id IS NULL) AS picks
          FROM unnest(wanted) w
          LEFT JOIN public.game_platforms p USING (game_id, platform_id)
          LEFT JOIN public.games h
                 ON h.id = game_id AND h.is_hidden
                AND NOT EXISTS (SELECT FROM public.entries e
                                WHERE e.user_id = owner AND e.game_id = h.id)) n;
    IF named <> kept THEN
        RAISE EXCEPTION 'an id is not of an entry of the list of user %', owner
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF known <> size THEN
        -- Everything that is wrong, as in "2 platform, 3 game": position, and what is not there.
        SELECT string_agg(
                   w.ordinality || CASE WHEN g.id IS NULL THEN ' game'
                                        WHEN f.id IS NULL THEN ' platform'
                                        ELSE ' both' END,
                   ', ' ORDER BY w.ordinality)
        INTO wrong
        FROM unnest(wanted) WITH ORDINALITY w
        LEFT JOIN public.game_platforms p USING (game_id, platform_id)
        LEFT JOIN public.games g
               ON g.id = w.game_id
              AND (NOT g.is_hidden OR EXISTS (SELECT FROM public.entries e
                                              WHERE e.user_id = owner AND e.game_id = g.id))
        LEFT JOIN public.platforms f ON f.id = w.platform_id
        WHERE p.game_id IS NULL OR g.id IS NULL;
        IF wrong IS NOT NULL THEN
            RAISE EXCEPTION 'these entries can''t be on a list: %', wrong
                USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'wanted_entries',
                      DETAIL = wrong;
        END IF;
    END IF;

    IF had = size THEN
        UPDATE public.entries e
        SET id         = coalesce(w.id, gen_random_uuid()),
            (position, platform_id, game_id, comment, rating, tags) =
                ROW(w.position, w.platform_id, w.game_id, w.comment, w.rating, w.tags),
            created_at = CASE WHEN w.id IS NULL THEN now() - (w.position - 1) * moment
                              ELSE e.created_at END,
            updated_at = CASE WHEN (w.id, w.platform_id, w.game_id, w.comment, w.rating, w.tags)
                                   IS NOT DISTINCT FROM
                                   (e.id, e.platform_id, e.game_id, e.comment, e.rating, e.tags)
                              THEN e.updated_at ELSE now() END
        FROM unnest(wanted, taken) WITH ORDINALITY
             AS w (id, platform_id, game_id, comment, rating, tags, row_id, position)
        WHERE e.id = w.row_id AND e.user_id = owner
          AND (w.id, w.position, w.platform_id, w.game_id, w.comment, w.rating, w.tags)
              IS DISTINCT FROM
              (e.id, e.position, e.platform_id, e.game_id, e.comment, e.rating, e.tags);
        RETURN;
    END IF;

    -- An update and an insertion or deletion change hearts and counts one after the other here, so
    -- lock all of those before. The change is told to webhooks after that, so lock these, too.
    PERFORM FROM public.circle_members m JOIN public.circle_webhooks w USING (circle_id)
    WHERE m.user_id = owner ORDER BY w.circle_id FOR KEY SHARE OF w;
    IF EXISTS (SELECT FROM public.entries e JOIN public.hearts h ON h.entry_id = e.id
               WHERE e.user_id = owner) THEN
        PERFORM FROM public.entries e WHERE e.user_id = owner ORDER BY e.id FOR UPDATE;
        PERFORM FROM public.entries e JOIN public.hearts h ON h.entry_id = e.id
        WHERE e.user_id = owner ORDER BY h.entry_id, h.user_id FOR UPDATE OF h;
    END IF;
    PERFORM public.lock_counts(array_agg(m.platform_id), array_agg(m.game_id),
                               bool_or(i.game_id IS NULL))
    FROM (SELECT DISTINCT platform_id, game_id
          FROM (SELECT e.id, e.platform_id, e.game_id FROM public.entries e WHERE e.user_id = owner
                UNION ALL
                SELECT w.row_id, w.platform_id, w.game_id
                FROM unnest(wanted, taken)
                     AS w (id, platform_id, game_id, comment, rating, tags, row_id)) p
          GROUP BY id, platform_id, game_id HAVING count(*) = 1) m
    LEFT JOIN public.included_by i USING (platform_id, game_id);

    -- One statement: the triggers that check the positions see only its end.
    WITH w AS (
        SELECT *
        FROM unnest(wanted, taken) WITH ORDINALITY
             AS w (id, platform_id, game_id, comment, rating, tags, row_id, position)
    ), removed AS (
        DELETE FROM public.entries e
        WHERE e.user_id = owner AND had > size
          AND NOT EXISTS (SELECT FROM w WHERE w.row_id = e.id)
    ), changed AS (
        UPDATE public.entries e
        SET id         = coalesce(w.id, gen_random_uuid()),
            (position, platform_id, game_id, comment, rating, tags) =
                ROW(w.position, w.platform_id, w.game_id, w.comment, w.rating, w.tags),
            created_at = CASE WHEN w.id IS NULL THEN now() - (w.position - 1) * moment
                              ELSE e.created_at END,
            updated_at = CASE WHEN (w.id, w.platform_id, w.game_id, w.comment, w.rating, w.tags)
                                   IS NOT DISTINCT FROM
                                   (e.id, e.platform_id, e.game_id, e.comment, e.rating, e.tags)
                              THEN e.updated_at ELSE now() END
        FROM w
        WHERE e.id = w.row_id AND e.user_id = owner
          AND (w.id, w.position, w.platform_id, w.game_id, w.comment, w.rating, w.tags)
              IS DISTINCT FROM
              (e.id, e.position, e.platform_id, e.game_id, e.comment, e.rating, e.tags)
    )
    INSERT INTO public.entries (user_id, position, platform_id, game_id, comment, rating, tags,
                                created_at)
    SELECT owner, w.position, w.platform_id, w.game_id, w.comment, w.rating, w.tags,
           now() - (w.position - 1) * moment
    FROM w WHERE w.row_id IS NULL;
END $$;

-- Searching --------------------------------------------------------------------------------------

-- The public entries with a word, or with a tag: at most `bound`. The planner cannot know how rare
-- a word is, and would sometimes read all entries for an unused one, so it gets only one index
-- here. For a word with very many entries the index returns some of them, which is enough to see
-- that they are many. It thins the matches of each word separately, so each word is looked up
-- alone: of two common words together, most matches would be missing.
CREATE FUNCTION entries_with_word(word tsquery, bound integer) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off
    SET max_parallel_workers_per_gather = 0 SET gin_fuzzy_search_limit = 20000 AS $$
BEGIN
    RETURN ARRAY(
        SELECT e.id FROM public.entries e
        WHERE e.audience = 'public' AND e.comment <> '' AND e.words @@ word
        LIMIT bound);
END $$;

CREATE FUNCTION entries_with_tag(tag text, bound integer) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off
    SET max_parallel_workers_per_gather = 0 SET gin_fuzzy_search_limit = 20000 AS $$
BEGIN
    RETURN ARRAY(
        SELECT e.id FROM public.entries e
        WHERE e.audience = 'public' AND e.tags <> '{}' AND e.tags @> ARRAY[tag]
        LIMIT bound);
END $$;

-- Whether something is so common among the latest 200 entries that it is probably on more than four
-- times `bound` entries. One person alone can't make it look common.
--
--   people_lately   The number of people with it among the latest entries.
CREATE FUNCTION is_common(people_lately bigint, bound integer) RETURNS boolean
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN people_lately >= 10
       AND people_lately * (SELECT reltuples FROM pg_class WHERE oid = 'public.entries'::regclass)
           > 200 * 4 * bound;
END $$;

-- The public entries with the first of these words that is on at most `bound` of them. NULL if all
-- words are on more: such common words are soon found by scanning the latest entries.
--
-- Each lookup costs as much as a page. So only the four longest words are looked up, which are
-- usually the rarest, except words that many people have used lately.
CREATE FUNCTION entries_with_rare_word(searched text, bound integer) RETURNS uuid[]
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    word   tsquery;
    found  uuid[];
    -- A text without a word is in no entry.
    result uuid[] := '{}';
BEGIN
    FOR word IN
        -- Quoted, so that it is not taken apart again.
        SELECT ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery
        FROM unnest(to_tsvector('simple'::regconfig, public.fold(searched)))
        ORDER BY length(lexeme) DESC
        LIMIT 4
    LOOP
        result := NULL;
        CONTINUE WHEN public.is_common(
            (SELECT count(DISTINCT user_id)
             FROM (SELECT e.user_id, e.words FROM public.entries e WHERE e.audience = 'public'
                   ORDER BY e.created_at DESC, e.id DESC LIMIT 200) latest
             WHERE words @@ word), bound);
        found := public.entries_with_word(word, bound + 1);
        IF cardinality(found) <= bound THEN
            RETURN found;
        END IF;
    END LOOP;
    RETURN result;
END $$;

-- The public entries with this tag if there are no more than `bound` of them, else NULL.
CREATE FUNCTION entries_with_rare_tag(searched text, bound integer) RETURNS uuid[]
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    found uuid[];
BEGIN
    IF public.is_common(
        (SELECT count(DISTINCT user_id)
         FROM (SELECT e.user_id, e.tags FROM public.entries e WHERE e.audience = 'public'
               ORDER BY e.created_at DESC, e.id DESC LIMIT 200) latest
         WHERE tags @> ARRAY[searched]), bound) THEN
        RETURN NULL;
    END IF;
    found := public.entries_with_tag(searched, bound + 1);
    RETURN CASE WHEN cardinality(found) <= bound THEN found END;
END $$;

-- Triggers of users ------------------------------------------------------------------------------

CREATE FUNCTION make_lists() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.lists (user_id, audience)
    SELECT id, public.audience_of(visibility, disabled_at, new_until) FROM new_users;
    RETURN NULL;
END $$;

CREATE TRIGGER make_lists AFTER INSERT ON users REFERENCING NEW TABLE AS new_users
    FOR EACH STATEMENT EXECUTE FUNCTION make_lists();

-- Someone may be adding an entry right now, which would be seen with the other name, or by others.
-- The lock waits for them, or makes them wait. The program takes it before it changes a user, as
-- the order is.
CREATE FUNCTION lock_lists() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM public.lists WHERE user_id IN (SELECT id FROM changed)
    ORDER BY user_id FOR NO KEY UPDATE;
    RETURN NULL;
END $$;

CREATE TRIGGER a_lock_lists AFTER UPDATE ON users REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION lock_lists();

-- Carries a new visibility, or the end of an account, to the list and its entries, and so to the
-- counts.
CREATE FUNCTION move_audience() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    moved uuid[];
BEGIN
    SELECT array_agg(c.id) INTO moved
    FROM changed c JOIN before b USING (id)
    WHERE public.audience_of(c.visibility, c.disabled_at, c.new_until)
          <> public.audience_of(b.visibility, b.disabled_at, b.new_until);
    IF moved IS NULL THEN
        RETURN NULL;
    END IF;
    UPDATE public.lists l
    SET audience = public.audience_of(c.visibility, c.disabled_at, c.new_until)
    FROM changed c WHERE c.id = l.user_id AND l.user_id = ANY (moved);
    UPDATE public.entries e SET audience = public.audience_of_entry(l.audience, e.game_id)
    FROM public.lists l WHERE l.user_id = e.user_id AND e.user_id = ANY (moved);
    RETURN NULL;
END $$;

-- After the hearts of users, whose trigger is b_.
CREATE TRIGGER c_move_audience AFTER UPDATE ON users
    REFERENCING OLD TABLE AS before NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION move_audience();

-- Triggers of entries ----------------------------------------------------------------------------

CREATE FUNCTION copy_audience() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    -- Without a list the foreign key will say so.
    NEW.audience := coalesce(
        (SELECT public.audience_of_entry(audience, NEW.game_id) FROM public.lists
         WHERE user_id = NEW.user_id), 'public');
    RETURN NEW;
END $$;

CREATE TRIGGER copy_audience BEFORE INSERT ON entries
    FOR EACH ROW EXECUTE FUNCTION copy_audience();
CREATE TRIGGER copy_audience_of_game BEFORE UPDATE OF game_id ON entries
    FOR EACH ROW WHEN (NEW.game_id <> OLD.game_id) EXECUTE FUNCTION copy_audience();

-- After an update, list_changed() sees the new owner only. The row may become another entry.
CALL hold_constant('entries', '{user_id}');

-- An audience that is written must be the one that follows from the account and the game.
CREATE FUNCTION check_audience() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    right_one text;
BEGIN
    IF TG_TABLE_NAME = 'lists' THEN
        SELECT public.audience_of(visibility, disabled_at, new_until) INTO right_one
        FROM public.users WHERE id = NEW.user_id;
    ELSE
        SELECT public.audience_of_entry(audience, NEW.game_id) INTO right_one
        FROM public.lists WHERE user_id = NEW.user_id;
    END IF;
    IF NEW.audience <> right_one THEN
        RAISE EXCEPTION 'the audience of the list of user % is another one', NEW.user_id
            USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER lists_audience BEFORE UPDATE OF audience ON lists
    FOR EACH ROW WHEN (NEW.audience <> OLD.audience) EXECUTE FUNCTION check_audience();
CREATE TRIGGER entries_audience BEFORE UPDATE OF audience ON entries
    FOR EACH ROW WHEN (NEW.audience <> OLD.audience) EXECUTE FUNCTION check_audience();

-- Touches the lists whose entries changed. Checks that the positions of each are the numbers from 1, which
-- saves an index that every change of an entry would write to, and that the entries have their list's
-- audience. An update of the audience or of `agreed` alone is not a change of the list.
CREATE FUNCTION list_changed() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    owners uuid[];
    broken record;
BEGIN
    -- Only the trigger of updates has the old rows. An entry that replaced another one in its row
    -- has another id.
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
    -- a serialization failure instead. A single list is locked by its update.
    IF cardinality(owners) > 1 THEN
        PERFORM FROM public.lists WHERE user_id = ANY (owners) ORDER BY user_id FOR NO KEY UPDATE;
    END IF;
    UPDATE public.lists SET version = version + 1, updated_at = clock_timestamp()
    WHERE user_id = ANY (owners);

    -- The positions of n entries are 1 to n exactly if they set the bits 1 to n. More than five don't.
    SELECT e.user_id, bit_or(1 << e.position) <> (2 << least(count(*), 6)::integer) - 2 AS has_hole
    INTO broken
    FROM public.entries e JOIN public.lists l USING (user_id)
    WHERE e.user_id = ANY (owners)
    GROUP BY e.user_id
    HAVING bit_or(1 << e.position) <> (2 << least(count(*), 6)::integer) - 2
        OR bool_or(e.audience <> l.audience
                   AND e.audience <> public.audience_of_entry(l.audience, e.game_id))
    LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF broken.has_hole THEN
        RAISE EXCEPTION 'the positions of the list of user % are not the numbers from 1',
                        broken.user_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'entries_position_holes';
    END IF;
    RAISE EXCEPTION 'the audience of the list of user % changed at the same time', broken.user_id
        USING ERRCODE = 'serialization_failure';
END $$;

CREATE TRIGGER a_list_changed AFTER INSERT ON entries REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION list_changed();
CREATE TRIGGER a_list_changed_by_update AFTER UPDATE ON entries
    REFERENCING OLD TABLE AS before NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION list_changed();
CREATE TRIGGER a_list_changed_by_delete AFTER DELETE ON entries REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION list_changed();
