-- Follows, hearts, blocks and news. People can follow each other, and say “me too” to comments with
-- hearts; the comments that most people agree with come first in rankings. Someone who blocks another
-- person ends all that. News is read from these tables and those of lists and circles.
--
-- The rules held here:
--   * no one follows themselves, or more than 1,000 people  follows_self_check, check_follows()
--   * no one blocks themselves, or more than 1,000 people   blocks_self_check, apply_blocks()
--   * a block ends follows and hearts, either way, and the
--     two leave each other's circles                        apply_blocks()
--   * and while it lasts, there are no new ones             check_follows(), count_hearts()
--   * one heart per person and comment, not for one's own   hearts_pkey, count_hearts()
--   * hearts belong to the words they were given to         words_changed(), forget_agreement()
--   * counts equal the aggregate over hearts                count_hearts(), count_hearts_of_users()

CREATE TABLE follows (
    follower_id uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    followed_id uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    followed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (follower_id, followed_id),
    CONSTRAINT follows_self_check CHECK (follower_id <> followed_id)
);

COMMENT ON TABLE follows IS 'Who follows whom. Only those two people know';

CREATE INDEX follows_followed ON follows (followed_id, followed_at DESC, follower_id DESC);

CREATE TABLE blocks (
    blocker_id uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    blocked_id uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    blocked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (blocker_id, blocked_id),
    CONSTRAINT blocks_self_check CHECK (blocker_id <> blocked_id)
);

COMMENT ON TABLE blocks IS
    'Who has blocked whom. While they are signed in, neither of the two sees the other. Only the '
    'blocker knows';

CREATE INDEX blocks_blocked ON blocks (blocked_id, blocker_id);

CREATE TABLE follow_feeds (
    user_id    uuid        PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    token_hash bytea       NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    made_at    timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE follow_feeds IS 'Private feeds with the activity of the people that someone follows';
COMMENT ON COLUMN follow_feeds.token_hash IS 'SHA-256 of the secret in the feed''s address';

CREATE TABLE hearts (
    -- Deferred, since a statement that gives an entry another id takes its hearts away at the end.
    entry_id   uuid        NOT NULL
                           REFERENCES entries ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    user_id    uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    given_at   timestamptz NOT NULL DEFAULT now(),
    is_counted boolean     NOT NULL DEFAULT true,
    PRIMARY KEY (entry_id, user_id)
);

COMMENT ON TABLE hearts IS 'Who agrees with the comment of an entry. Others see only how many do';
COMMENT ON COLUMN hearts.is_counted IS 'Those of disabled accounts are not';

CREATE INDEX hearts_user ON hearts (user_id, entry_id);
-- How many are new, however many there are.
CREATE INDEX hearts_recent ON hearts (entry_id, given_at) WHERE is_counted;

CREATE TABLE heart_counts (
    entry_id uuid    PRIMARY KEY,
    count    integer NOT NULL CONSTRAINT heart_counts_check CHECK (count >= 0),
    weigh_at timestamptz
);

COMMENT ON TABLE heart_counts IS
    'How many hearts a comment has. A row is deleted some time after its last heart, so it may '
    'outlive its entry for a moment';
COMMENT ON COLUMN heart_counts.weigh_at IS
    'When weigh_hearts() will next look at it; NULL if there is no need';

CREATE INDEX heart_counts_due ON heart_counts (weigh_at) WHERE weigh_at IS NOT NULL;

-- A table of its own, since a change of a user locks their list.
CREATE TABLE news_visits (
    user_id uuid        PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    since   timestamptz NOT NULL,
    seen_at timestamptz NOT NULL
);

COMMENT ON TABLE news_visits IS 'When people last looked at what is new for them';
COMMENT ON COLUMN news_visits.since IS
    'From when on things are new in this visit, so that reloading the page does not lose them: about '
    'the end of the visit before';
COMMENT ON COLUMN news_visits.seen_at IS 'To about five minutes, unless something was new';

-- Functions --------------------------------------------------------------------------------------

-- Whether one of two people has blocked the other. A transaction that depends on it locks the row of
-- one of the two in users first: a block locks both rows, so the result stays right.
CREATE FUNCTION are_apart(one uuid, other uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM public.blocks b WHERE (b.blocker_id, b.blocked_id) = (one, other))
        OR EXISTS (SELECT FROM public.blocks b WHERE (b.blocker_id, b.blocked_id) = (other, one));
END $$;

-- Takes all hearts of some entries away. The caller has locked the entries or their list.
CREATE FUNCTION take_hearts(entries uuid[]) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM public.hearts WHERE entry_id = ANY (entries)
    ORDER BY entry_id, user_id FOR UPDATE;
    DELETE FROM public.hearts WHERE entry_id = ANY (entries);
END $$;

-- Chooses comments whose turn it is to be weighed: one, or several with at most `bound` hearts
-- together. Their next turn is ten minutes later, so that the others get theirs even if weighing
-- these fails.
--
-- This never waits for a lock. A comment whose hearts are just changing is chosen the next time.
CREATE FUNCTION choose_hearts(bound integer) RETURNS uuid[]
    LANGUAGE plpgsql AS $$
DECLARE
    chosen uuid[];
BEGIN
    WITH due AS (
        SELECT entry_id, count, weigh_at FROM public.heart_counts WHERE weigh_at <= now()
        ORDER BY weigh_at LIMIT 200 FOR UPDATE SKIP LOCKED
    ), moved AS (
        UPDATE public.heart_counts h SET weigh_at = now() + interval '10 minutes'
        FROM (SELECT entry_id, row_number() OVER turns AS place,
                     sum(least(count, 1000)) OVER turns AS hearts
              FROM due WINDOW turns AS (ORDER BY weigh_at, entry_id)) d
        WHERE h.entry_id = d.entry_id AND (d.hearts <= bound OR d.place = 1)
        RETURNING h.entry_id
    )
    SELECT array_agg(entry_id) INTO chosen FROM moved;
    RETURN chosen;
END $$;

-- Decides again which of the chosen comments come first. A heart has weight if its giver's account
-- is two weeks old and has a public list of at least three games. Only a giver's first heart for an
-- author has weight. If the author has given hearts to the giver, the heart doesn't count, because
-- they may have agreed to trade hearts. A comment needs five hearts with weight. At most 1,000 hearts
-- of a comment are read. A comment is weighed again when its hearts change, or after six hours.
--
-- This never waits for a lock. A comment that is just changing is weighed ten minutes later.
CREATE FUNCTION weigh_hearts(chosen uuid[]) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    counts uuid[];
    held   uuid[];
BEGIN
    SELECT array_agg(entry_id) INTO counts
    FROM (SELECT entry_id FROM public.heart_counts WHERE entry_id = ANY (chosen)
          FOR UPDATE SKIP LOCKED) h;
    SELECT array_agg(id) INTO held
    FROM (SELECT id FROM public.entries WHERE id = ANY (counts) FOR NO KEY UPDATE SKIP LOCKED) e;

    WITH weighed AS (
        SELECT e.id,
               (SELECT count(*)::integer
                FROM (SELECT user_id, given_at FROM public.hearts
                      WHERE entry_id = e.id AND is_counted LIMIT 1000) h
                JOIN public.users u ON u.id = h.user_id
                JOIN public.lists l ON l.user_id = h.user_id
                WHERE u.created_at <= now() - interval '14 days' AND l.audience = 'public'
                  AND (SELECT count(*) FROM public.entries WHERE user_id = h.user_id) >= 3
                  AND NOT EXISTS (
                      SELECT FROM public.entries o JOIN public.hearts s ON s.entry_id = o.id
                      WHERE o.user_id = e.user_id AND s.user_id = h.user_id
                        AND (s.given_at, o.id) < (h.given_at, e.id))
                  AND NOT EXISTS (
                      SELECT FROM public.entries o JOIN public.hearts s ON s.entry_id = o.id
                      WHERE o.user_id = h.user_id AND s.user_id = e.user_id)) AS hearts
        FROM public.entries e WHERE e.id = ANY (held)
    )
    UPDATE public.entries e SET agreed = CASE WHEN w.hearts >= 5 THEN w.hearts ELSE 0 END
    FROM weighed w
    WHERE e.id = w.id AND e.agreed <> CASE WHEN w.hearts >= 5 THEN w.hearts ELSE 0 END;

    DELETE FROM public.heart_counts h
    WHERE h.entry_id = ANY (counts) AND h.count = 0
      AND (h.entry_id = ANY (held)
           OR NOT EXISTS (SELECT FROM public.entries e WHERE e.id = h.entry_id));
    UPDATE public.heart_counts
    SET weigh_at = CASE WHEN count >= 5 THEN now() + interval '6 hours' END
    WHERE entry_id = ANY (held);
END $$;

-- Triggers ---------------------------------------------------------------------------------------

CREATE FUNCTION check_follows() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    crowded uuid;
BEGIN
    -- Two at once of one person are counted one after the other.
    PERFORM FROM public.users WHERE id IN (SELECT follower_id FROM added)
    ORDER BY id FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM added a
               JOIN public.blocks b
                 ON (b.blocker_id, b.blocked_id) = (a.follower_id, a.followed_id))
       OR EXISTS (SELECT FROM added a
                  JOIN public.blocks b
                    ON (b.blocker_id, b.blocked_id) = (a.followed_id, a.follower_id)) THEN
        RAISE EXCEPTION 'one of the two has blocked the other'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'follows_block';
    END IF;
    SELECT follower_id INTO crowded
    FROM public.follows WHERE follower_id IN (SELECT follower_id FROM added)
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

-- Ends the follows and hearts between two people when one of them blocks the other, and takes each out
-- of the other's circles.
--
-- Someone who follows, gives a heart or joins a circle locks their own row of users, and then looks
-- for blocks. This locks the rows of both people. So either it waits for them, and sees what they have
-- made, or they wait, and see the block.
CREATE FUNCTION apply_blocks() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    crowded uuid;
BEGIN
    PERFORM FROM public.users
    WHERE id IN (SELECT blocker_id FROM added UNION ALL SELECT blocked_id FROM added)
    ORDER BY id FOR NO KEY UPDATE;
    SELECT blocker_id INTO crowded
    FROM public.blocks WHERE blocker_id IN (SELECT blocker_id FROM added)
    GROUP BY blocker_id HAVING count(*) > 1000
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'user % would block more than 1000 people', crowded
            USING ERRCODE = 'check_violation', CONSTRAINT = 'blocks_limit';
    END IF;
    -- Neither stays in a circle of the other, who couldn't remove someone that they don't see. A circle
    -- that both are in may just be passing to one of them.
    PERFORM FROM public.circles WHERE id IN (
        SELECT m.circle_id FROM added a
        JOIN public.circle_members m ON m.user_id = a.blocker_id
        JOIN public.circle_members o ON (o.circle_id, o.user_id) = (m.circle_id, a.blocked_id))
    ORDER BY id FOR NO KEY UPDATE;
    DELETE FROM public.circle_members m USING added a, public.circle_members o
    WHERE o.circle_id = m.circle_id AND o.owned IS NOT NULL AND m.owned IS NULL
      AND (m.user_id, o.user_id) IN ((a.blocker_id, a.blocked_id), (a.blocked_id, a.blocker_id));
    -- All in order, before their counts.
    PERFORM FROM added a
    JOIN public.entries e ON e.user_id IN (a.blocker_id, a.blocked_id)
    JOIN public.hearts h ON h.entry_id = e.id AND h.user_id IN (a.blocker_id, a.blocked_id)
    ORDER BY h.entry_id, h.user_id FOR UPDATE OF h;
    DELETE FROM public.hearts h USING added a, public.entries e
    WHERE h.entry_id = e.id AND e.user_id IN (a.blocker_id, a.blocked_id)
      AND h.user_id IN (a.blocker_id, a.blocked_id);
    DELETE FROM public.follows f USING added a
    WHERE (f.follower_id, f.followed_id) = (a.blocker_id, a.blocked_id)
       OR (f.follower_id, f.followed_id) = (a.blocked_id, a.blocker_id);
    RETURN NULL;
END $$;

CREATE TRIGGER apply_blocks AFTER INSERT ON blocks REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION apply_blocks();

CREATE FUNCTION count_hearts() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    ids    uuid[];
    deltas bigint[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF EXISTS (SELECT FROM added a JOIN public.entries e ON e.id = a.entry_id
                   WHERE e.user_id = a.user_id OR e.comment = '') THEN
            RAISE EXCEPTION 'a heart is for a comment of someone else'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'hearts_comment';
        END IF;
        -- A giver who uses the program has this lock already.
        PERFORM FROM public.users WHERE id IN (SELECT user_id FROM added) ORDER BY id FOR SHARE;
        IF EXISTS (SELECT FROM added a JOIN public.entries e ON e.id = a.entry_id
                   JOIN public.blocks b ON (b.blocker_id, b.blocked_id) = (a.user_id, e.user_id))
           OR EXISTS (SELECT FROM added a JOIN public.entries e ON e.id = a.entry_id
                      JOIN public.blocks b
                        ON (b.blocker_id, b.blocked_id) = (e.user_id, a.user_id)) THEN
            RAISE EXCEPTION 'one of the two has blocked the other'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'hearts_block';
        END IF;
        INSERT INTO public.heart_counts AS h (entry_id, count, weigh_at)
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
    INSERT INTO public.heart_counts AS h (entry_id, count)
    SELECT id, 0 FROM unnest(ids) AS i (id) ORDER BY id
    ON CONFLICT (entry_id) DO UPDATE SET count = h.count;
    UPDATE public.heart_counts h
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
    UPDATE public.heart_counts SET count = 0, weigh_at = now() WHERE count > 0;
    RETURN NULL;
END $$;

CREATE TRIGGER count_nothing AFTER TRUNCATE ON hearts
    FOR EACH STATEMENT EXECUTE FUNCTION count_no_hearts();

-- Hearts are for words, and for what these are about. Someone who gives a heart locks the list and
-- the entry, so none is missed here.
CREATE FUNCTION words_changed() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    ids uuid[] := ARRAY(SELECT id FROM (SELECT id, game_id, comment FROM before
                                        EXCEPT SELECT id, game_id, comment FROM after) c);
BEGIN
    IF EXISTS (SELECT FROM public.hearts WHERE entry_id = ANY (ids)) THEN
        PERFORM public.take_hearts(ids);
    END IF;
    RETURN NULL;
END $$;

-- Before the counts of count_update, as the order is.
CREATE TRIGGER a_words_changed AFTER UPDATE ON entries
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION words_changed();

CREATE FUNCTION forget_agreement() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    NEW.agreed := 0;
    RETURN NEW;
END $$;

CREATE TRIGGER forget_agreement BEFORE UPDATE ON entries
    FOR EACH ROW
    WHEN (OLD.agreed > 0 AND
          (NEW.id, NEW.game_id, NEW.comment) IS DISTINCT FROM (OLD.id, OLD.game_id, OLD.comment))
    EXECUTE FUNCTION forget_agreement();

CREATE FUNCTION count_hearts_of_users() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    moved uuid[];
BEGIN
    SELECT array_agg(a.id) INTO moved
    FROM after a JOIN before b USING (id)
    WHERE (a.disabled_at IS NULL) <> (b.disabled_at IS NULL);
    IF moved IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM FROM public.hearts WHERE user_id = ANY (moved)
    ORDER BY entry_id, user_id FOR NO KEY UPDATE;
    UPDATE public.hearts h SET is_counted = a.disabled_at IS NULL
    FROM after a WHERE a.id = h.user_id AND h.user_id = ANY (moved);
    RETURN NULL;
END $$;

-- After the locks of lists and before the counts of c_move_audience, as the order is.
CREATE TRIGGER b_count_hearts AFTER UPDATE ON users
    REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION count_hearts_of_users();

-- Takes the hearts that a user has given and got away, before the account is deleted. The
-- references would do it in no order, and after the counts of the list.
CREATE FUNCTION take_hearts_of_user() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    own uuid[];
BEGIN
    PERFORM FROM public.lists WHERE user_id = OLD.id FOR UPDATE;
    own := ARRAY(SELECT id FROM public.entries WHERE user_id = OLD.id ORDER BY id FOR UPDATE);
    PERFORM FROM public.hearts WHERE user_id = OLD.id OR entry_id = ANY (own)
    ORDER BY entry_id, user_id FOR UPDATE;
    DELETE FROM public.hearts WHERE user_id = OLD.id OR entry_id = ANY (own);
    RETURN OLD;
END $$;

CREATE TRIGGER take_hearts BEFORE DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION take_hearts_of_user();
