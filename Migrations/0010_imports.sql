-- Imports: lists of games from elsewhere, as suggestions for one's own list. An import is stored
-- for some days.
--
-- The rules held here:
--   * one import for each user                      imports_user_key
--   * what is counted adds up                       CHECK constraints of imports
--   * what can be picked has a game                 CHECK constraint of import_rows

CREATE TABLE imports (
    id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id         uuid        NOT NULL CONSTRAINT imports_user_key UNIQUE
                                REFERENCES users ON DELETE CASCADE,
    file_name       text        NOT NULL CHECK (char_length(file_name) <= 100),
    state           text        NOT NULL DEFAULT 'running'
                                CHECK (state IN ('running', 'done', 'failed')),
    row_count       integer     NOT NULL CHECK (row_count BETWEEN 1 AND 10000),
    done_count      integer     NOT NULL CHECK (done_count BETWEEN 0 AND row_count),
    suggested_count integer     NOT NULL DEFAULT 0 CHECK (suggested_count BETWEEN 0 AND done_count),
    made_at         timestamptz NOT NULL DEFAULT now(),
    worked_at       timestamptz NOT NULL DEFAULT clock_timestamp()
);

COMMENT ON TABLE imports IS
    'Files of games that people have imported. Another one takes the place of one that is not '
    'running';
COMMENT ON COLUMN imports.done_count IS 'How many rows'' games were looked for';
COMMENT ON COLUMN imports.suggested_count IS 'How many of those can be picked';
COMMENT ON COLUMN imports.worked_at IS
    'When a server last worked on it. A running one that nobody works on can be continued';

CREATE INDEX imports_age ON imports (made_at);
CREATE INDEX imports_running ON imports (worked_at) WHERE state = 'running';

CREATE TABLE import_rows (
    import_id       uuid      NOT NULL REFERENCES imports ON DELETE CASCADE,
    place           integer   NOT NULL CHECK (place BETWEEN 1 AND 10000),
    line            integer   NOT NULL CHECK (line > 0),
    -- From the file.
    name            text      NOT NULL CHECK (char_length(name) <= 200),
    named_id        integer,
    has_igdbs_id    boolean   NOT NULL DEFAULT false,
    named_platforms text      NOT NULL CHECK (char_length(named_platforms) <= 200),
    platform_ids    integer[] NOT NULL CHECK (cardinality(platform_ids) <= 50),
    release_year    smallint,
    score           text      NOT NULL CHECK (char_length(score) <= 20),
    rating          smallint  CHECK (rating BETWEEN 1 AND 5),
    comment         text      NOT NULL CHECK (char_length(comment) <= 1000),
    tags            text      NOT NULL CHECK (char_length(tags) <= 200),
    shelf           text      NOT NULL CHECK (char_length(shelf) <= 200),
    dated           text      NOT NULL CHECK (char_length(dated) <= 20),
    -- The game that was found.
    finding         text      CHECK (finding IN ('found', 'several_games', 'unknown_platform',
                                                 'not_on_platform', 'duplicate', 'no_game',
                                                 'no_name', 'malformed')),
    is_suggested    boolean   GENERATED ALWAYS AS
                              (finding IN ('found', 'several_games', 'unknown_platform',
                                           'not_on_platform')) STORED,
    game_id         integer,
    platform_id     integer,
    candidates      integer   NOT NULL DEFAULT 0,
    PRIMARY KEY (import_id, place),
    CHECK (is_suggested IS NOT TRUE OR game_id IS NOT NULL)
);

COMMENT ON TABLE import_rows IS
    'The rows of imported files: what they say, and what was found. Any server can go on with them';
COMMENT ON COLUMN import_rows.place IS
    'Among the suggestions: the best rated first, and then in the file''s order';
COMMENT ON COLUMN import_rows.has_igdbs_id IS
    'Whether the file proves that named_id is IGDB''s. If not, it may be that of another site';
COMMENT ON COLUMN import_rows.platform_ids IS 'The platforms that named_platforms may mean';
COMMENT ON COLUMN import_rows.finding IS 'NULL as long as the game was not looked for';
COMMENT ON COLUMN import_rows.candidates IS
    'How many games suit as well as the one that was chosen, which is one of them';

CREATE INDEX import_rows_listing ON import_rows (import_id, is_suggested, place);
CREATE INDEX import_rows_game ON import_rows (import_id, game_id) WHERE game_id IS NOT NULL;

-- The game of a row, and how many games suit as well as it does.
--
-- It is the one with IGDB's id, if the file proves that the number is one. Otherwise it is a game with
-- the row's name, or else one that people find who search for the name, though not a short name by a
-- similar spelling. Of several, the best has the file's number, is on the file's platform, is of about the
-- file's year, is no edition of another, and has the most ratings. Numbers tell the games of a series apart,
-- so none may differ, except that a year at the end of the row's name may be the game's.
CREATE FUNCTION imported_game(
    name text, named_id integer, has_igdbs_id boolean, platform_ids integer[], year integer
) RETURNS TABLE (game_id integer, candidates bigint)
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_variable
DECLARE
    whole text := public.written_whole_name(name);
BEGIN
    IF has_igdbs_id THEN
        RETURN QUERY SELECT g.id, 1::bigint FROM public.games g
                     WHERE g.id = named_id AND NOT g.is_hidden;
        IF FOUND THEN
            RETURN;
        END IF;
    END IF;
    IF whole = '  ' THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT c.id, count(*) OVER (PARTITION BY c.is_named, c.is_further, c.is_there, c.years)
    FROM (SELECT DISTINCT ON (s.id) s.*, (s.id = named_id) IS TRUE AS is_named,
                 EXISTS (SELECT FROM public.game_platforms o
                         WHERE o.game_id = s.id AND o.platform_id = ANY (platform_ids)) AS is_there,
                 abs(s.release_year - year) AS years
          FROM ((SELECT g.*, false AS is_further
                 FROM public.games g
                 WHERE public.whole_name(g.searched_name) = whole AND NOT g.is_hidden
                 LIMIT 20)
                UNION ALL
                (SELECT g.*, true
                 FROM public.game_names n JOIN public.games g ON g.id = n.game_id
                 WHERE public.whole_name(n.searched_name) = whole AND NOT g.is_hidden
                 LIMIT 20)) s
          ORDER BY s.id, s.is_further) c
    ORDER BY c.is_named DESC, c.is_further, c.is_there DESC, c.years,
             public.is_minor(c.is_edition, c.type), c.rating_count DESC, c.id
    LIMIT 1;
    IF FOUND THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT c.id, count(*) OVER (PARTITION BY c.is_named, c.match, c.is_there, c.years)
    FROM (SELECT f.*, (f.id = named_id) IS TRUE AS is_named,
                 EXISTS (SELECT FROM public.game_platforms o
                         WHERE o.game_id = f.id AND o.platform_id = ANY (platform_ids)) AS is_there,
                 abs(g.release_year - year) AS years
          -- People who search see what a similar spelling finds, and can reject it. A file can't, and a short
          -- name in a similar spelling is usually another game.
          FROM public.find_games(left(name, 100), NULL, 20, char_length(whole) >= 12) f
          JOIN public.games g ON g.id = f.id
          WHERE regexp_replace(regexp_replace(whole, ' ' || coalesce(g.release_year, 0) || ' $', ' '),
                               '[^0-9]+', ' ', 'g')
              = regexp_replace(public.written_whole_name(coalesce(f.found_name, g.name)),
                               '[^0-9]+', ' ', 'g')) c
    ORDER BY c.is_named DESC, c.match, c.is_there DESC, c.years, c.place
    LIMIT 1;
END $$;
