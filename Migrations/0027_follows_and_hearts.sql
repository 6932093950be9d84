-- People can follow each other, and say “me too” to comments with hearts. The comments that most people
-- agree with come first in rankings.
--
-- The rules held here:
--   * nobody follows themselves, or more than 1,000 people    follows_self_check, check_follows()
--   * one heart per person and comment, not for one's own     hearts_pkey, count_hearts()
--   * hearts belong to the words they were given to           forget_hearts()
--   * counts equal to the aggregate over hearts               count_hearts(), count_hearts_of_user()
--
-- A server of the version before goes on with the latest comments first for as long as it runs.
-- oldest-server: 12
-- step: Who follows whom
CREATE TABLE follows (
    follower_id uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    followed_id uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    followed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (follower_id, followed_id),
    CONSTRAINT follows_self_check CHECK (follower_id <> followed_id)
);

CREATE INDEX follows_followed ON follows (followed_id, followed_at DESC, follower_id DESC);

CREATE FUNCTION check_follows() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    crowded uuid;
BEGIN
    -- Two at once of one person are counted one after the other.
    PERFORM FROM users WHERE id IN (SELECT follower_id FROM added)
    ORDER BY id FOR NO KEY UPDATE;
    SELECT follower_id INTO crowded
    FROM follows WHERE follower_id IN (SELECT follower_id FROM added)
    GROUP BY follower_id HAVING count(*) > 1000
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'user % would follow more than 1000 people', crowded
            USING ERRCODE = 'check_violation', CONSTRAINT = 'follows_limit';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER check_follows AFTER INSERT ON follows REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION check_follows();

-- The private feed of what the people do whom someone follows.
CREATE TABLE follow_feeds (
    user_id    uuid        PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    -- SHA-256 of the secret in the feed's address.
    token_hash bytea       NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    made_at    timestamptz NOT NULL DEFAULT now()
);
-- step: Hearts
CREATE TABLE hearts (
    entry_id   uuid        NOT NULL REFERENCES entries ON DELETE CASCADE,
    user_id    uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    given_at   timestamptz NOT NULL DEFAULT now(),
    -- Those of disabled accounts aren't counted.
    is_counted boolean     NOT NULL DEFAULT true,
    PRIMARY KEY (entry_id, user_id)
);

CREATE INDEX hearts_user ON hearts (user_id, given_at DESC);

-- How many hearts a comment has. A row is gone some time after its last heart, so it may outlive its
-- entry for a moment.
CREATE TABLE heart_counts (
    entry_id uuid    PRIMARY KEY,
    count    integer NOT NULL CONSTRAINT heart_counts_check CHECK (count >= 0),
    -- When weigh_hearts() will look at it; NULL if there is no need.
    weigh_at timestamptz
);

CREATE INDEX heart_counts_due ON heart_counts (weigh_at) WHERE weigh_at IS NOT NULL;

-- Keeps the counts. A transaction takes rows of hearts first, and then those of heart_counts in the
-- order of entries.
CREATE FUNCTION count_hearts() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    ids    uuid[];
    deltas bigint[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF EXISTS (SELECT FROM added a JOIN entries e ON e.id = a.entry_id
                   WHERE e.user_id = a.user_id OR e.comment = '') THEN
            RAISE EXCEPTION 'a heart is for a comment of someone else'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'hearts_comment';
        END IF;
        INSERT INTO heart_counts AS h (entry_id, count, weigh_at)
        SELECT entry_id, count(*), CASE WHEN count(*) >= 5 THEN now() END
        FROM added WHERE is_counted GROUP BY entry_id ORDER BY entry_id
        ON CONFLICT (entry_id) DO UPDATE
        SET count = h.count + excluded.count,
            weigh_at = CASE WHEN h.count + excluded.count >= 5 THEN now() ELSE h.weigh_at END;
        RETURN NULL;
    END IF;

    IF TG_OP = 'DELETE' THEN
        SELECT array_agg(entry_id), array_agg(delta) INTO ids, deltas
        FROM (SELECT entry_id, -count(*) AS delta FROM removed WHERE is_counted
              GROUP BY entry_id) d;
    ELSE
        SELECT array_agg(entry_id), array_agg(delta) INTO ids, deltas
        FROM (SELECT entry_id, sum(step) AS delta
              FROM (SELECT entry_id, 1 AS step FROM added WHERE is_counted
                    UNION ALL
                    SELECT entry_id, -1 FROM removed WHERE is_counted) steps
              GROUP BY entry_id HAVING sum(step) <> 0) d;
    END IF;
    IF ids IS NULL THEN
        RETURN NULL;
    END IF;
    -- Makes the rows that are missing and locks the others, all in order.
    INSERT INTO heart_counts AS h (entry_id, count)
    SELECT id, 0 FROM unnest(ids) AS i (id) ORDER BY id
    ON CONFLICT (entry_id) DO UPDATE SET count = h.count;
    UPDATE heart_counts h
    SET count = h.count + d.delta,
        weigh_at = CASE WHEN greatest(h.count, h.count + d.delta) >= 5 OR h.count + d.delta = 0
                        THEN now() ELSE h.weigh_at END
    FROM unnest(ids, deltas) AS d (entry_id, delta)
    WHERE h.entry_id = d.entry_id;
    RETURN NULL;
END $$;

CREATE TRIGGER count_insert AFTER INSERT ON hearts REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_hearts();
CREATE TRIGGER count_update AFTER UPDATE ON hearts
    REFERENCING OLD TABLE AS removed NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_hearts();
CREATE TRIGGER count_delete AFTER DELETE ON hearts REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION count_hearts();

CREATE FUNCTION count_no_hearts() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    UPDATE heart_counts SET count = 0, weigh_at = now() WHERE count > 0;
    RETURN NULL;
END $$;

CREATE TRIGGER count_nothing AFTER TRUNCATE ON hearts
    FOR EACH STATEMENT EXECUTE FUNCTION count_no_hearts();

-- Pages show the numbers. Whether a comment comes first is a column of its entry, whose changes are
-- noted as any other.
CREATE FUNCTION heart_keys(user_id uuid, game_id integer) RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY['user ' || user_id::text, 'hearts ' || game_id::text];

CREATE FUNCTION note_hearts() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO changes (keys)
        SELECT bounded_keys(array_agg(DISTINCT key))
        FROM after a JOIN entries e ON e.id = a.entry_id, unnest(heart_keys(e.user_id, e.game_id)) AS k (key)
        WHERE a.count > 0 HAVING count(*) > 0;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO changes (keys)
        SELECT bounded_keys(array_agg(DISTINCT key))
        FROM before b JOIN entries e ON e.id = b.entry_id, unnest(heart_keys(e.user_id, e.game_id)) AS k (key)
        WHERE b.count > 0 HAVING count(*) > 0;
    ELSE
        INSERT INTO changes (keys)
        SELECT bounded_keys(array_agg(DISTINCT key))
        FROM before b JOIN after a USING (entry_id) JOIN entries e ON e.id = b.entry_id,
             unnest(heart_keys(e.user_id, e.game_id)) AS k (key)
        WHERE b.count <> a.count HAVING count(*) > 0;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER z_note_insert AFTER INSERT ON heart_counts REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_hearts();
CREATE TRIGGER z_note_update AFTER UPDATE ON heart_counts
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_hearts();
CREATE TRIGGER z_note_delete AFTER DELETE ON heart_counts REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION note_hearts();
CREATE TRIGGER z_note_truncate AFTER TRUNCATE ON heart_counts
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('*');
-- step: The comments that people agree with
-- How many hearts count toward the order of comments; 0 if they are too few to matter.
ALTER TABLE entries ADD COLUMN agreed integer NOT NULL DEFAULT 0;

-- Hearts are for words, and for what these are about. One who gives a heart has locked the entry until
-- then, so none is missed here.
CREATE FUNCTION forget_hearts() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM hearts WHERE entry_id = OLD.id) THEN
        DELETE FROM hearts WHERE entry_id = OLD.id;
    END IF;
    NEW.agreed := 0;
    RETURN NEW;
END $$;

CREATE TRIGGER forget_hearts BEFORE UPDATE ON entries
    FOR EACH ROW
    WHEN ((NEW.id, NEW.game_id, NEW.comment) IS DISTINCT FROM (OLD.id, OLD.game_id, OLD.comment))
    EXECUTE FUNCTION forget_hearts();

CREATE FUNCTION count_hearts_of_user() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    UPDATE hearts SET is_counted = NEW.disabled_at IS NULL WHERE user_id = NEW.id;
    RETURN NULL;
END $$;

CREATE TRIGGER count_hearts_of_user AFTER UPDATE OF disabled_at ON users
    FOR EACH ROW WHEN ((NEW.disabled_at IS NULL) <> (OLD.disabled_at IS NULL))
    EXECUTE FUNCTION count_hearts_of_user();

-- Decides anew which comments come first, of at most so many whose hearts have changed, or were last
-- weighed six hours ago. A heart has weight if its giver's account is two weeks old, and has a public
-- list of at least three games; only the first one that they gave to the same author; and not if the
-- author has given hearts to the giver, as people do who have agreed to. A comment needs five of those.
-- At most 1,000 hearts of a comment are looked at.
--
-- Waits for nobody: what is being changed is weighed the next time. Returns how many were weighed.
CREATE FUNCTION weigh_hearts(most integer) RETURNS integer
    LANGUAGE plpgsql AS $$
DECLARE
    due     uuid[];
    held    uuid[];
    orphans integer;
BEGIN
    SELECT array_agg(entry_id) INTO due
    FROM (SELECT entry_id FROM heart_counts WHERE weigh_at <= now()
          ORDER BY weigh_at LIMIT most FOR UPDATE SKIP LOCKED) d;
    SELECT array_agg(id) INTO held
    FROM (SELECT id FROM entries WHERE id = ANY (due) FOR NO KEY UPDATE SKIP LOCKED) e;

    WITH weighed AS (
        SELECT e.id,
               (SELECT count(*)::integer
                FROM (SELECT user_id, given_at FROM hearts
                      WHERE entry_id = e.id AND is_counted LIMIT 1000) h
                JOIN users u ON u.id = h.user_id
                JOIN lists l ON l.user_id = h.user_id
                WHERE u.created_at <= now() - interval '14 days' AND l.audience = 'public'
                  AND (SELECT count(*) FROM entries WHERE user_id = h.user_id) >= 3
                  AND NOT EXISTS (
                      SELECT FROM entries o JOIN hearts s ON s.entry_id = o.id
                      WHERE o.user_id = e.user_id AND s.user_id = h.user_id
                        AND (s.given_at, o.id) < (h.given_at, e.id))
                  AND NOT EXISTS (
                      SELECT FROM entries o JOIN hearts s ON s.entry_id = o.id
                      WHERE o.user_id = h.user_id AND s.user_id = e.user_id)) AS hearts
        FROM entries e WHERE e.id = ANY (held)
    )
    UPDATE entries e SET agreed = CASE WHEN w.hearts >= 5 THEN w.hearts ELSE 0 END
    FROM weighed w
    WHERE e.id = w.id AND e.agreed <> CASE WHEN w.hearts >= 5 THEN w.hearts ELSE 0 END;

    WITH gone AS (
        DELETE FROM heart_counts h
        WHERE h.entry_id = ANY (due) AND h.count = 0
          AND NOT EXISTS (SELECT FROM entries e WHERE e.id = h.entry_id)
        RETURNING true
    )
    SELECT count(*) INTO orphans FROM gone;
    DELETE FROM heart_counts WHERE entry_id = ANY (held) AND count = 0;
    UPDATE heart_counts
    SET weigh_at = CASE WHEN count >= 5 THEN now() + interval '6 hours' END
    WHERE entry_id = ANY (held);
    RETURN coalesce(cardinality(held), 0) + orphans;
END $$;
-- step (outside a transaction): Find a game's comments on a platform, those that most agree with first
CREATE INDEX CONCURRENTLY IF NOT EXISTS entries_quotes
    ON entries (platform_id, game_id, agreed DESC, created_at DESC, id DESC)
    WHERE comment <> '' AND audience = 'public';
-- step (outside a transaction): Find the comments on a game that most agree with
CREATE INDEX CONCURRENTLY IF NOT EXISTS entries_agreed
    ON entries (game_id, agreed DESC, created_at DESC, id DESC)
    WHERE agreed > 0 AND audience = 'public';
-- step (outside a transaction): Drop the index that the first one replaces
DROP INDEX CONCURRENTLY IF EXISTS entries_comments;
