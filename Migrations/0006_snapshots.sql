-- Snapshots: lists as they were, under a title, or because a year ended. They count nowhere.
--
-- The rules held here:
--   * nothing of a snapshot changes, but for comments
--     that moderators hide; it is deleted as a whole    snapshots_constant, snapshot_entries_constant
--   * someone has at most forty, besides those of years snapshots_place_check, snapshots_limit
--   * and one of each year, which alone has the year
--     for its address                                   snapshots_slug_check, snapshots_slug_key

CREATE TABLE snapshots (
    id            uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id       uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    slug          text        NOT NULL,
    title         text        NOT NULL
                  CONSTRAINT snapshots_title_check CHECK (title <> '' AND char_length(title) <= 60),
    taken_at      timestamptz NOT NULL DEFAULT now(),
    place         smallint    CONSTRAINT snapshots_place_check CHECK (place BETWEEN 1 AND 40),
    year          smallint,
    size          smallint    NOT NULL CONSTRAINT snapshots_size_check CHECK (size BETWEEN 1 AND 5),
    shows_ratings boolean     NOT NULL,
    CONSTRAINT snapshots_slug_key UNIQUE (user_id, slug),
    CONSTRAINT snapshots_place_key UNIQUE (user_id, place),
    CONSTRAINT snapshots_slug_check CHECK (
        CASE WHEN year IS NULL THEN slug ~ '^[1-9][0-9]{3}-[1-9][0-9]?$'
             ELSE slug = year::text AND year BETWEEN 1000 AND 9999 END),
    -- Without a place, there are forty already.
    CONSTRAINT snapshots_limit CHECK (num_nonnulls(place, year) = 1)
);

COMMENT ON TABLE snapshots IS 'Lists as they were. They never change';
COMMENT ON COLUMN snapshots.slug IS
    'The end of its address: for one of a year, the year, and for others, the year in which it was '
    'taken and a number. No other address below that of a list begins with a digit';
COMMENT ON COLUMN snapshots.place IS
    'Which of the forty places it has among those that the user took; NULL for one of a year';
COMMENT ON COLUMN snapshots.year IS 'The year that ended; NULL for one that the user took';
COMMENT ON COLUMN snapshots.size IS 'How many games there were';
COMMENT ON COLUMN snapshots.shows_ratings IS 'Whether others saw the ratings';

CREATE TABLE snapshot_entries (
    snapshot_id uuid     NOT NULL REFERENCES snapshots ON DELETE CASCADE,
    position    smallint NOT NULL CONSTRAINT snapshot_entries_position_check CHECK (position >= 1),
    entry_id    uuid     NOT NULL,
    game_id     integer  NOT NULL REFERENCES games,
    platform_id integer  NOT NULL REFERENCES platforms,
    comment     text     NOT NULL
                CONSTRAINT snapshot_entries_comment_check CHECK (char_length(comment) <= 1000),
    rating      smallint CONSTRAINT snapshot_entries_rating_check CHECK (rating BETWEEN 1 AND 5),
    tags        text[]   NOT NULL CONSTRAINT snapshot_entries_tags_check CHECK (are_tags(tags)),
    hidden_by   bigint,
    PRIMARY KEY (snapshot_id, position),
    CONSTRAINT snapshot_entries_game_key UNIQUE (snapshot_id, game_id, platform_id)
);

COMMENT ON TABLE snapshot_entries IS
    'The places on snapshots. A game may not be on its platform any more';
COMMENT ON COLUMN snapshot_entries.entry_id IS 'The entry that it was, which may be gone by now';
COMMENT ON COLUMN snapshot_entries.hidden_by IS
    'The moderators'' action that hid the comment; NULL if it is shown. There is no reference: the '
    'comment stays hidden, whatever becomes of the row of the action';

CREATE INDEX snapshot_entries_hidden ON snapshot_entries (hidden_by) WHERE hidden_by IS NOT NULL;

-- Functions --------------------------------------------------------------------------------------

-- Takes a snapshot of a user's list.
--
--   for_year   The year that ends, if that is why; NULL if the user wants it.
--
-- Returns the end of its address; NULL if the list is empty, or the user gone. Violates
-- snapshots_limit if there are too many.
CREATE FUNCTION take_snapshot(owner uuid, title text, for_year smallint) RETURNS text
    LANGUAGE plpgsql AS $$
DECLARE
    today smallint := extract(year FROM now() AT TIME ZONE 'UTC');
    taken public.snapshots;
BEGIN
    -- Everyone who changes the list, or its comments as a moderator, or takes a snapshot of it
    -- waits here.
    PERFORM FROM public.lists WHERE user_id = owner FOR NO KEY UPDATE;
    IF NOT EXISTS (SELECT FROM public.entries WHERE user_id = owner) THEN
        RETURN NULL;
    END IF;

    INSERT INTO public.snapshots (user_id, slug, title, taken_at, place, year, size, shows_ratings)
    SELECT owner,
           CASE WHEN for_year IS NULL THEN (
               SELECT s.slug FROM (SELECT n, today || '-' || n AS slug FROM generate_series(1, 99) n) s
               WHERE NOT EXISTS (SELECT FROM public.snapshots o
                                 WHERE o.user_id = owner AND o.slug = s.slug)
               ORDER BY s.n LIMIT 1) ELSE for_year::text END,
           take_snapshot.title,
           -- Not when the transaction began, which may have been before the last one was taken.
           clock_timestamp(),
           CASE WHEN for_year IS NULL THEN (
               SELECT n FROM generate_series(1, 40) n
               WHERE NOT EXISTS (SELECT FROM public.snapshots o
                                 WHERE o.user_id = owner AND o.place = n)
               ORDER BY n LIMIT 1) END,
           for_year,
           (SELECT count(*) FROM public.entries e WHERE e.user_id = owner),
           u.shows_ratings
    FROM public.users u WHERE u.id = owner
    RETURNING * INTO taken;

    INSERT INTO public.snapshot_entries (snapshot_id, position, entry_id, game_id, platform_id,
                                         comment, rating, tags)
    SELECT taken.id, e.position, e.id, e.game_id, e.platform_id, e.comment, e.rating, e.tags
    FROM public.entries e WHERE e.user_id = owner;
    RETURN taken.slug;
END $$;

-- Takes snapshots of the lists of users who have chosen that, because the year ends, and notes that
-- it is done.
--
-- Left out are lists that have changed since the year ended, since it isn't known what they were,
-- and those with the same games in the same order as the last yearly snapshot.
CREATE FUNCTION take_yearly_snapshots(owners uuid[], ending smallint, title text) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    owner uuid;
BEGIN
    PERFORM FROM public.lists WHERE user_id = ANY (owners) ORDER BY user_id FOR NO KEY UPDATE;
    FOR owner IN SELECT o FROM unnest(owners) o ORDER BY o LOOP
        UPDATE public.users SET next_snapshot_year = ending + 1
        WHERE id = owner AND next_snapshot_year <= ending;
        -- Another server was first, or the user has changed their mind.
        CONTINUE WHEN NOT FOUND;
        CONTINUE WHEN EXISTS (SELECT FROM public.snapshots
                              WHERE user_id = owner AND slug = ending::text);
        CONTINUE WHEN EXISTS (
            SELECT FROM public.lists WHERE user_id = owner
            AND updated_at >= make_timestamptz(ending + 1, 1, 1, 0, 0, 0, 'UTC'));
        CONTINUE WHEN
            (SELECT array_agg(ARRAY[e.game_id, e.platform_id] ORDER BY e.position)
             FROM public.entries e WHERE e.user_id = owner)
            IS NOT DISTINCT FROM
            (SELECT array_agg(ARRAY[e.game_id, e.platform_id] ORDER BY e.position)
             FROM public.snapshot_entries e
             WHERE e.snapshot_id = (SELECT s.id FROM public.snapshots s
                                    WHERE s.user_id = owner AND s.year < ending
                                    ORDER BY s.year DESC LIMIT 1));
        PERFORM public.take_snapshot(owner, title, ending);
    END LOOP;
END $$;

-- Triggers ---------------------------------------------------------------------------------------

CALL hold_constant('snapshots', '{id, user_id, slug, title, taken_at, place, year, size,
                                   shows_ratings}');
CALL hold_constant('snapshot_entries', '{snapshot_id, position, entry_id, game_id, platform_id,
                                          comment, rating, tags}');

CREATE FUNCTION check_snapshot_entry() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.position > (SELECT size FROM public.snapshots WHERE id = NEW.snapshot_id) THEN
            RAISE EXCEPTION 'a snapshot does not grow'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'snapshot_entries_constant';
        END IF;
        RETURN NEW;
    END IF;
    -- The snapshot itself is gone if it is what was deleted.
    IF EXISTS (SELECT FROM public.snapshots WHERE id = OLD.snapshot_id) THEN
        RAISE EXCEPTION 'a snapshot is only deleted as a whole'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'snapshot_entries_constant';
    END IF;
    RETURN OLD;
END $$;

CREATE TRIGGER snapshot_entries_whole BEFORE INSERT OR DELETE ON snapshot_entries
    FOR EACH ROW EXECUTE FUNCTION check_snapshot_entry();
