-- People can keep their list as it is now, under a title, and have it kept every year.
--
-- The lists that are kept don't change, and count nowhere.
-- oldest-server: 12
-- step: A choice for each user
ALTER TABLE users
    -- The year whose list is kept next, on December 31st; NULL for those who haven't chosen that.
    ADD COLUMN next_kept_year smallint;
-- step (outside a transaction): Find those whose list is to be kept
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_keeping ON users (next_kept_year, id)
    WHERE next_kept_year IS NOT NULL;
-- step: Lists as they were
CREATE TABLE kept_lists (
    id            uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id       uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    -- The end of its address: the year, and a number for all but the first of a year. No other
    -- address below that of a list begins with a digit.
    slug          text        NOT NULL
        CONSTRAINT kept_lists_slug_check CHECK (slug ~ '^[1-9][0-9]{3}(-([2-9]|[1-9][0-9]))?$'),
    title         text        NOT NULL
        CONSTRAINT kept_lists_title_check CHECK (title <> '' AND char_length(title) <= 60),
    kept_at       timestamptz NOT NULL DEFAULT now(),
    -- Which of the forty places it has among those that the user kept; NULL for one that was kept
    -- because its year ended.
    place         smallint    CONSTRAINT kept_lists_place_check CHECK (place BETWEEN 1 AND 40),
    -- The year that ended; NULL for one that the user kept.
    year          smallint,
    -- How many games there were.
    size          smallint    NOT NULL CONSTRAINT kept_lists_size_check CHECK (size BETWEEN 1 AND 5),
    -- Whether others saw the ratings.
    shows_ratings boolean     NOT NULL,
    CONSTRAINT kept_lists_slug_key UNIQUE (user_id, slug),
    CONSTRAINT kept_lists_place_key UNIQUE (user_id, place),
    CONSTRAINT kept_lists_year_key UNIQUE (user_id, year),
    -- Without a place, there are forty already.
    CONSTRAINT kept_lists_limit CHECK (num_nonnulls(place, year) = 1)
);

CREATE TABLE kept_entries (
    kept_id     uuid     NOT NULL REFERENCES kept_lists ON DELETE CASCADE,
    position    smallint NOT NULL CONSTRAINT kept_entries_position_check CHECK (position >= 1),
    -- The entry that it was. It may be gone, or another one's by now.
    entry_id    uuid     NOT NULL,
    -- The game may not be on the platform any more.
    game_id     integer  NOT NULL REFERENCES games,
    platform_id integer  NOT NULL REFERENCES platforms,
    comment     text     NOT NULL
        CONSTRAINT kept_entries_comment_check CHECK (char_length(comment) <= 1000),
    rating      smallint CONSTRAINT kept_entries_rating_check CHECK (rating BETWEEN 1 AND 5),
    tags        text[]   NOT NULL CONSTRAINT kept_entries_tags_check CHECK (are_tags(tags)),
    -- The moderators' act that hid the comment; NULL if it is shown. There is no reference: the
    -- comment stays hidden, whatever becomes of the row of the act.
    hidden_by   bigint,
    PRIMARY KEY (kept_id, position),
    CONSTRAINT kept_entries_game_key UNIQUE (kept_id, game_id, platform_id)
);

CREATE INDEX kept_entries_hidden ON kept_entries (hidden_by) WHERE hidden_by IS NOT NULL;

-- Nothing of a kept list changes, but for comments that moderators hide. It is deleted as a whole.
CREATE FUNCTION refuse_kept_change() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a list that is kept does not change'
        USING ERRCODE = 'check_violation', CONSTRAINT = 'kept_lists_constant';
END $$;

CREATE TRIGGER kept_lists_constant BEFORE UPDATE ON kept_lists
    FOR EACH ROW EXECUTE FUNCTION refuse_kept_change();

CREATE TRIGGER kept_entries_constant BEFORE UPDATE ON kept_entries
    FOR EACH ROW WHEN (
        (NEW.kept_id, NEW.position, NEW.entry_id, NEW.game_id, NEW.platform_id, NEW.comment,
         NEW.rating, NEW.tags)
        IS DISTINCT FROM
        (OLD.kept_id, OLD.position, OLD.entry_id, OLD.game_id, OLD.platform_id, OLD.comment,
         OLD.rating, OLD.tags))
    EXECUTE FUNCTION refuse_kept_change();

CREATE FUNCTION check_kept_entry() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.position > (SELECT size FROM kept_lists WHERE id = NEW.kept_id) THEN
            RAISE EXCEPTION 'a list that is kept does not grow'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'kept_lists_constant';
        END IF;
        RETURN NEW;
    END IF;
    -- The list itself is gone if it is what was deleted.
    IF EXISTS (SELECT FROM kept_lists WHERE id = OLD.kept_id) THEN
        RAISE EXCEPTION 'a list that is kept is only deleted as a whole'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'kept_lists_constant';
    END IF;
    RETURN OLD;
END $$;

CREATE TRIGGER kept_entries_whole BEFORE INSERT OR DELETE ON kept_entries
    FOR EACH ROW EXECUTE FUNCTION check_kept_entry();

-- Keeps a user's list as it is.
--
--   for_year   The year that ends, if that is why; NULL if the user wants to keep it.
--
-- Returns the end of its address; NULL if the list is empty, or the user gone. Violates
-- kept_lists_limit if there are too many.
CREATE FUNCTION keep_list(owner uuid, title text, for_year smallint) RETURNS text
    LANGUAGE plpgsql AS $$
DECLARE
    base text := coalesce(for_year, extract(year FROM now() AT TIME ZONE 'UTC'))::text;
    kept kept_lists;
BEGIN
    -- Everyone who changes the list, its comments as a moderator too, or keeps it waits here.
    PERFORM FROM lists WHERE user_id = owner FOR NO KEY UPDATE;
    IF NOT EXISTS (SELECT FROM entries WHERE user_id = owner) THEN
        RETURN NULL;
    END IF;

    INSERT INTO kept_lists (user_id, slug, title, kept_at, place, year, size, shows_ratings)
    SELECT owner,
           (SELECT s.slug
            FROM (SELECT n, base || CASE WHEN n > 1 THEN '-' || n ELSE '' END AS slug
                  FROM generate_series(1, 99) n) s
            WHERE NOT EXISTS (SELECT FROM kept_lists k
                              WHERE k.user_id = owner AND k.slug = s.slug)
            ORDER BY s.n LIMIT 1),
           keep_list.title,
           -- Not when the transaction began, which may have been before the last one was kept.
           clock_timestamp(),
           CASE WHEN for_year IS NULL THEN (
               SELECT n FROM generate_series(1, 40) n
               WHERE NOT EXISTS (SELECT FROM kept_lists k WHERE k.user_id = owner AND k.place = n)
               ORDER BY n LIMIT 1) END,
           for_year,
           (SELECT count(*) FROM entries e WHERE e.user_id = owner),
           u.shows_ratings
    FROM users u WHERE u.id = owner
    RETURNING * INTO kept;

    INSERT INTO kept_entries (kept_id, position, entry_id, game_id, platform_id, comment, rating,
                              tags)
    SELECT kept.id, e.position, e.id, e.game_id, e.platform_id, e.comment, e.rating, e.tags
    FROM entries e WHERE e.user_id = owner;
    RETURN kept.slug;
END $$;

-- Keeps the lists of users who have chosen that, because the year ends, and notes that it is done.
--
-- Left out are lists that have changed since the year ended, since it isn't known what they were,
-- and those with the same games in the same order as the last that was kept.
CREATE FUNCTION keep_year(owners uuid[], ending smallint, title text) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    owner uuid;
BEGIN
    -- The same order as everyone else's, so that no two wait for each other in a circle.
    FOR owner IN SELECT o FROM unnest(owners) o ORDER BY o LOOP
        PERFORM FROM lists WHERE user_id = owner FOR NO KEY UPDATE;
        UPDATE users SET next_kept_year = ending + 1 WHERE id = owner AND next_kept_year <= ending;
        -- Another server was first, or the user has changed their mind.
        CONTINUE WHEN NOT FOUND;
        CONTINUE WHEN EXISTS (SELECT FROM kept_lists WHERE user_id = owner AND year = ending);
        CONTINUE WHEN EXISTS (
            SELECT FROM lists WHERE user_id = owner
            AND updated_at >= make_timestamptz(ending + 1, 1, 1, 0, 0, 0, 'UTC'));
        CONTINUE WHEN
            (SELECT array_agg(ARRAY[e.game_id, e.platform_id] ORDER BY e.position)
             FROM entries e WHERE e.user_id = owner)
            IS NOT DISTINCT FROM
            (SELECT array_agg(ARRAY[e.game_id, e.platform_id] ORDER BY e.position)
             FROM kept_entries e
             WHERE e.kept_id = (SELECT k.id FROM kept_lists k WHERE k.user_id = owner
                                ORDER BY k.kept_at DESC, k.id DESC LIMIT 1));
        PERFORM keep_list(owner, title, ending);
    END LOOP;
END $$;

-- A comment that moderators hide is hidden wherever it was kept: from the same entry, whatever its
-- author has made of it since, and from another one with the same words.
CREATE FUNCTION hide_kept_comments() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    UPDATE kept_entries k SET hidden_by = NEW.act_id
    FROM kept_lists l JOIN entries e ON e.user_id = l.user_id
    WHERE e.id = NEW.entry_id AND k.kept_id = l.id AND k.comment <> ''
      AND (k.entry_id = NEW.entry_id OR k.comment = NEW.comment);
    RETURN NULL;
END $$;

CREATE TRIGGER hide_kept_comments AFTER INSERT ON hidden_comments
    FOR EACH ROW EXECUTE FUNCTION hide_kept_comments();

-- Once the act is undone they are shown again, unless another act hides what is said there.
CREATE FUNCTION show_kept_comments() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    UPDATE kept_entries k
    SET hidden_by = (SELECT max(h.act_id)
                     FROM hidden_comments h
                     JOIN entries e ON e.id = h.entry_id
                     JOIN kept_lists l ON l.user_id = e.user_id
                     WHERE l.id = k.kept_id AND h.act_id <> NEW.id
                       AND (h.entry_id = k.entry_id OR h.comment = k.comment))
    WHERE k.hidden_by = NEW.id;
    RETURN NULL;
END $$;

CREATE TRIGGER show_kept_comments AFTER UPDATE OF undone_at ON moderation_acts
    FOR EACH ROW WHEN (OLD.undone_at IS NULL AND NEW.undone_at IS NOT NULL
                       AND NEW.act = 'hide_comment')
    EXECUTE FUNCTION show_kept_comments();

-- What is kept belongs to its owner's pages.
CREATE FUNCTION note_kept_lists() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM note_changes(array_agg(DISTINCT 'user ' || a.user_id)) FROM after a;
    ELSE
        PERFORM note_changes(array_agg(DISTINCT 'user ' || b.user_id)) FROM before b;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER z_note_insert AFTER INSERT ON kept_lists REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_kept_lists();
CREATE TRIGGER z_note_delete AFTER DELETE ON kept_lists REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION note_kept_lists();
CREATE TRIGGER z_note_truncate AFTER TRUNCATE ON kept_lists
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('*');

CREATE FUNCTION note_kept_entries() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_changes(array_agg(DISTINCT 'user ' || l.user_id))
    FROM after a JOIN kept_lists l ON l.id = a.kept_id;
    RETURN NULL;
END $$;

CREATE TRIGGER z_note_insert AFTER INSERT ON kept_entries REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_kept_entries();
CREATE TRIGGER z_note_update AFTER UPDATE ON kept_entries REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_kept_entries();
CREATE TRIGGER z_note_truncate AFTER TRUNCATE ON kept_entries
    FOR EACH STATEMENT EXECUTE FUNCTION note_table('*');
