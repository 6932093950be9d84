-- What people say beside the why: a rating and tags; everyone's entries by filters; and where games
-- stood in rankings before.

ALTER TABLE entries
    ADD COLUMN rating smallint
        CONSTRAINT entries_rating_check CHECK (rating BETWEEN 1 AND 5),
    -- In the owner's order; FaveGames.Tag says what may stand in one.
    ADD COLUMN tags text[] NOT NULL DEFAULT '{}';

CREATE FUNCTION are_tags(text[]) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN cardinality($1) <= 5
       AND (SELECT coalesce(bool_and(tag <> '' AND char_length(tag) <= 30 AND tag !~ '[,#]'), true)
                   AND count(DISTINCT tag) = cardinality($1)
            FROM unnest($1) AS t (tag));

ALTER TABLE entries ADD CONSTRAINT entries_tags_check CHECK (are_tags(tags));

-- Touches the lists, and checks that none has a hole and that entries have their list's audience.
-- As before, with ratings and tags among what changes a list.
CREATE OR REPLACE FUNCTION list_changed() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    broken uuid;
BEGIN
    -- Only an update's trigger has the rows of before.
    IF TG_OP = 'UPDATE' THEN
        IF NOT EXISTS (SELECT FROM changed c JOIN before b USING (id)
                       WHERE (c.position, c.game_id, c.platform_id, c.comment, c.rating, c.tags)
                             IS DISTINCT FROM
                             (b.position, b.game_id, b.platform_id, b.comment, b.rating, b.tags))
        THEN
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

-- Everyone's entries, the latest first: all, and by each filter. By game, and by game and platform,
-- entries_game and entries_inclusions serve.
CREATE INDEX entries_recent ON entries (created_at DESC, id DESC) WHERE audience = 'public';
CREATE INDEX entries_platform ON entries (platform_id, created_at DESC, id DESC)
    WHERE audience = 'public';
CREATE INDEX entries_rating ON entries (rating, created_at DESC, id DESC)
    WHERE audience = 'public' AND rating IS NOT NULL;
CREATE INDEX entries_tags ON entries USING gin (tags) WHERE audience = 'public' AND tags <> '{}';
CREATE INDEX entries_words ON entries USING gin (to_tsvector('simple'::regconfig, fold(comment)))
    WHERE audience = 'public' AND comment <> '';

-- The public entries with all these words, or with this tag, in no order. Of more than `bound` some
-- only: then they are so many that whoever goes through the latest ones meets them soon. The
-- planner cannot know how rare a word is, and would now and then read all entries for one that
-- nobody uses; here it has the one index only, and reads a bounded part of that.
CREATE FUNCTION entries_with_words(words text, bound integer) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE
    SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off
    SET max_parallel_workers_per_gather = 0 SET gin_fuzzy_search_limit = 20000 AS $$
BEGIN
    RETURN QUERY
    SELECT e.id FROM entries e
    WHERE e.audience = 'public' AND e.comment <> ''
      AND to_tsvector('simple'::regconfig, fold(e.comment))
          @@ plainto_tsquery('simple'::regconfig, fold(words))
    LIMIT bound;
END $$;

CREATE FUNCTION entries_with_tag(tag text, bound integer) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE
    SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off
    SET max_parallel_workers_per_gather = 0 SET gin_fuzzy_search_limit = 20000 AS $$
BEGIN
    RETURN QUERY
    SELECT e.id FROM entries e
    WHERE e.audience = 'public' AND e.tags <> '{}' AND e.tags @> ARRAY[tag]
    LIMIT bound;
END $$;

-- Where games stood in the rankings of a day: the first hundred of each platform. What is a week old
-- says how they have moved.
CREATE TABLE past_ranks (
    platform_id integer NOT NULL REFERENCES platforms,
    taken_on    date    NOT NULL,
    game_id     integer NOT NULL REFERENCES games,
    rank        integer NOT NULL CHECK (rank > 0),
    PRIMARY KEY (platform_id, taken_on, game_id)
);

CREATE INDEX past_ranks_age ON past_ranks (taken_on);
