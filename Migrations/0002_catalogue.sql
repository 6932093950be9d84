-- The catalogue: platforms, games and their platforms, all with IGDB's ids; and what IGDB was
-- asked.
--
-- The rules held here:
--   * what games are sorted by and searched for follows from their names   generated columns
--   * a platform or a game that something refers to is not deleted         foreign keys
--   * a game for adults is hidden unless the site shows such games         hide_game()

-- Platforms --------------------------------------------------------------------------------------

CREATE TABLE platforms (
    id           integer PRIMARY KEY CHECK (id > 0),
    slug         text    NOT NULL CONSTRAINT platforms_slug_key UNIQUE DEFERRABLE
                         CHECK (slug ~ '^[a-z0-9-]+$' AND slug ~ '[a-z]'),
    name         text    NOT NULL CHECK (name <> ''),
    abbreviation text,
    generation   smallint,
    family       text,
    size_rank    integer
);

COMMENT ON TABLE platforms IS 'Systems that games run on';
COMMENT ON COLUMN platforms.id IS 'IGDB''s';
COMMENT ON COLUMN platforms.slug IS
    'The platform in addresses; never a number, which would be an id';
COMMENT ON COLUMN platforms.size_rank IS
    '1 for the platform with the most games; NULL until they are counted. Games show it in this '
    'order';

CREATE INDEX platforms_search ON platforms
    USING gin (fold(name || ' ' || coalesce(abbreviation, '') || ' ' || slug) gin_trgm_ops);

-- Games ------------------------------------------------------------------------------------------

CREATE TABLE adult_games (
    is_only   boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    are_shown boolean NOT NULL
);

COMMENT ON TABLE adult_games IS
    'One row: whether the site shows games for adults only. Servers set it when they start, with '
    'show_adult_games()';

INSERT INTO adult_games (are_shown) VALUES (false);

-- Whether a game is for adults only.
CREATE FUNCTION is_adult(by_hand boolean, theme boolean, rating boolean) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(by_hand, theme OR rating, false);

-- Whether a game belongs to another one: neither a main game nor a remake, a remaster or the like.
CREATE FUNCTION is_minor(is_edition boolean, type smallint) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN is_edition OR type NOT IN (0, 4, 8, 9, 10);

-- Names with the languages of both, each once.
CREATE FUNCTION localized_names(given text, known text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN array_to_string(
        string_to_array(given, E'\n') || ARRAY(
            SELECT k FROM unnest(string_to_array(known, E'\n')) k
            WHERE NOT EXISTS (SELECT FROM unnest(string_to_array(given, E'\n')) g
                              WHERE split_part(g, '=', 1) = split_part(k, '=', 1))),
        E'\n');

CREATE TABLE games (
    id                   integer     PRIMARY KEY CHECK (id > 0),
    name                 text        NOT NULL CHECK (name <> ''),
    sort_name            text        COLLATE "C" NOT NULL GENERATED ALWAYS AS (fold(name)) STORED,
    searched_name        text        NOT NULL GENERATED ALWAYS AS (searched_name(name)) STORED,
    localized_names      text        NOT NULL DEFAULT '',
    release_year         smallint,
    cover_image_id       text        CHECK (cover_image_id ~ '^[a-z0-9_]{1,64}$'),
    screenshot_image_ids text[]      NOT NULL DEFAULT '{}',
    type                 smallint    NOT NULL DEFAULT 0,
    is_edition           boolean     NOT NULL DEFAULT false,
    rating_count         integer     NOT NULL DEFAULT 0,
    fetched_at           timestamptz,
    adult_theme          boolean,
    adult_rating         boolean,
    adult_by_hand        boolean,
    cover_by_hand        boolean     NOT NULL DEFAULT false,
    is_hidden            boolean     NOT NULL DEFAULT false
);

COMMENT ON TABLE games IS 'Games from the starter catalogue, from IGDB and of the site''s own';
COMMENT ON COLUMN games.id IS 'IGDB''s; from 2,000,000,000 on, that of a game which an operator has added';
COMMENT ON COLUMN games.sort_name IS
    'The order of equals in a ranking. The bytes of the folded name, since the order of a language '
    'changes with the system''s libraries, which would corrupt indexes';
COMMENT ON COLUMN games.localized_names IS
    'What readers of other languages know it by: each on a line, as a tag of BCP 47, "=" and the name';
COMMENT ON COLUMN games.searched_name IS
    'All that the game may be searched for. Stored, since it takes longer to make than to look at';
COMMENT ON COLUMN games.cover_image_id IS
    'The last part of the cover''s address on IGDB''s image host';
COMMENT ON COLUMN games.type IS 'IGDB''s game_type: 0 for a main game, 1 for a DLC …';
COMMENT ON COLUMN games.is_edition IS 'Whether it is an edition of another game';
COMMENT ON COLUMN games.rating_count IS
    'How many people have rated it at IGDB: how well-known it is';
COMMENT ON COLUMN games.fetched_at IS
    'When IGDB last told of it, or said that it does not know it; NULL if it was not asked';
COMMENT ON COLUMN games.adult_theme IS
    'Whether it has IGDB''s theme Erotic; NULL if IGDB has told of no theme';
COMMENT ON COLUMN games.adult_rating IS
    'Whether it is rated for adults only; NULL if IGDB has told of no rating';
COMMENT ON COLUMN games.adult_by_hand IS
    'Whether it is for adults only, if an operator has said so, whatever IGDB says';
COMMENT ON COLUMN games.cover_by_hand IS
    'Whether an operator has chosen the cover, or that there is none, whatever IGDB says';
COMMENT ON COLUMN games.is_hidden IS
    'Whether only people who have it on their list see it. hide_game() sets it';

CREATE SEQUENCE own_game_ids AS integer MINVALUE 2000000000;

-- Beginnings too short for trigrams.
CREATE INDEX games_prefix ON games (sort_name);
CREATE INDEX games_searched_names ON games USING gin (searched_name gin_trgm_ops);
-- Names with a letter wrong.
CREATE INDEX games_plain_names ON games USING gin (plain_part(searched_name) gin_trgm_ops);
-- Names that are given whole, in imports.
CREATE INDEX games_whole_names ON games (whole_name(searched_name));
-- The site serves covers of games only.
CREATE INDEX games_covers ON games (cover_image_id);
-- Few games are for adults, so this says at once that one isn't.
CREATE INDEX games_hidden ON games (id) WHERE is_hidden;
CREATE INDEX games_adult ON games (id)
    WHERE is_adult(adult_by_hand, adult_theme, adult_rating);

CREATE FUNCTION hide_game() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    NEW.is_hidden := public.is_adult(NEW.adult_by_hand, NEW.adult_theme, NEW.adult_rating)
                     AND NOT (SELECT are_shown FROM public.adult_games);
    RETURN NEW;
END $$;

CREATE TRIGGER hide_game BEFORE INSERT OR UPDATE ON games
    FOR EACH ROW WHEN (NEW.is_hidden OR NEW.adult_by_hand OR NEW.adult_theme OR NEW.adult_rating)
    EXECUTE FUNCTION hide_game();

CREATE TABLE game_names (
    game_id       integer NOT NULL REFERENCES games ON DELETE CASCADE,
    name          text    NOT NULL CHECK (name <> '' AND char_length(name) <= 200),
    plain_name    text    COLLATE "C" NOT NULL
                          GENERATED ALWAYS AS (plain_name(fold_name(name))) STORED,
    searched_name text    NOT NULL GENERATED ALWAYS AS (searched_name(name)) STORED,
    PRIMARY KEY (game_id, name)
);

COMMENT ON TABLE game_names IS 'Further names of games: in other languages, abbreviations, former titles';
COMMENT ON COLUMN game_names.plain_name IS 'What short texts are compared with';
COMMENT ON COLUMN game_names.searched_name IS 'As that of games';

-- Beginnings too short for trigrams.
CREATE INDEX game_names_prefix ON game_names (plain_name);
CREATE INDEX game_names_searched_names ON game_names USING gin (searched_name gin_trgm_ops);
-- Names that are given whole, in imports.
CREATE INDEX game_names_whole_names ON game_names (whole_name(searched_name));
-- Short forms of names in scripts that are written without spaces.
CREATE INDEX game_names_letters ON game_names
    USING gin (name_letters(whole_name(searched_name)));

CREATE TABLE game_platforms (
    game_id     integer NOT NULL REFERENCES games ON DELETE CASCADE,
    platform_id integer NOT NULL REFERENCES platforms,
    PRIMARY KEY (game_id, platform_id)
);

COMMENT ON TABLE game_platforms IS 'Which game is on which platform';

CREATE INDEX game_platforms_platform ON game_platforms (platform_id);

-- IGDB -------------------------------------------------------------------------------------------

CREATE TABLE game_searches (
    text        text        PRIMARY KEY CHECK (text <> '' AND char_length(text) <= 300),
    game_ids    integer[]   NOT NULL CHECK (cardinality(game_ids) <= 500),
    received_at timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE game_searches IS
    'What IGDB found for a text, in its order: for all servers, and for when IGDB is not available';

CREATE INDEX game_searches_age ON game_searches (received_at);

CREATE TABLE igdb_tokens (
    client_id  text        PRIMARY KEY,
    token      text        NOT NULL CHECK (token <> ''),
    expires_at timestamptz NOT NULL
);

COMMENT ON TABLE igdb_tokens IS
    'The access token for IGDB. All servers share one, since an application may have only a few';

-- Functions --------------------------------------------------------------------------------------

-- Ranks platforms by their number of games. This usually changes few rows, so that few cached
-- responses become outdated.
CREATE FUNCTION rank_platforms() RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
        UPDATE platforms p SET size_rank = s.rank
        FROM (SELECT q.id, row_number() OVER (ORDER BY count(g.platform_id) DESC, q.id) AS rank
              FROM platforms q LEFT JOIN game_platforms g ON g.platform_id = q.id
              GROUP BY q.id) s
        WHERE p.id = s.id AND p.size_rank IS DISTINCT FROM s.rank;
    END;

-- The games whose names have something that is written much like the text, the most similar first:
-- one letter is wrong or two are swapped, or two are wrong of a longer text. Hidden games are left out.
--
--   platform   If it is not NULL, only games on this platform.
CREATE FUNCTION games_with_similar_name(
    searched text, platform integer, bound integer
) RETURNS integer[]
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
    size    integer := char_length(searched);
    -- The text with each two neighbours swapped, which has few trigrams in common with a short text.
    swapped text[];
BEGIN
    IF size NOT BETWEEN 4 AND 60 THEN
        RETURN '{}';
    END IF;
    swapped := ARRAY(
        SELECT '% ' || overlay(searched PLACING reverse(substr(searched, n, 2)) FROM n) || '%'
        FROM generate_series(1, size - 1) n
        WHERE size <= 12 AND substr(searched, n, 2) NOT LIKE '% %');
    -- For this transaction. A SET clause would need pg_trgm to be loaded when a dump is restored. Two
    -- wrong letters change at most eight trigrams.
    PERFORM set_config('pg_trgm.word_similarity_threshold',
                       CASE WHEN size < 7 THEN 0.3 ELSE greatest(0.45, 1 - 8.0 / size) END::text,
                       true);
    RETURN ARRAY(
        SELECT f.id
        FROM (SELECT c.id, c.rating_count, c.plain, 1 AS distance
              FROM (SELECT g.id, g.rating_count, public.plain_part(g.searched_name) AS plain
                    FROM public.games g
                    WHERE g.searched_name LIKE ANY (swapped) AND NOT g.is_hidden
                      AND (platform IS NULL OR EXISTS (
                          SELECT FROM public.game_platforms o
                          WHERE (o.game_id, o.platform_id) = (g.id, platform) OFFSET 0))
                    LIMIT 1000) c
              UNION
              SELECT c.id, c.rating_count, c.plain,
                     greatest(public.distance_to_part(searched, c.plain), 1)
              FROM (SELECT s.*
                    -- So that no text costs more than others, however much of names it has.
                    FROM (SELECT g.id, g.rating_count, public.plain_part(g.searched_name) AS plain
                          FROM public.games g
                          WHERE public.plain_part(g.searched_name) %> searched AND NOT g.is_hidden
                            AND (platform IS NULL OR EXISTS (
                                SELECT FROM public.game_platforms o
                                WHERE (o.game_id, o.platform_id) = (g.id, platform) OFFSET 0))
                          LIMIT 1000) s
                    ORDER BY word_similarity(searched, s.plain) DESC, s.rating_count DESC, s.id
                    LIMIT 100) c) f
        WHERE f.distance <= CASE WHEN size < 5 THEN 1 ELSE 2 END
        GROUP BY f.id, f.rating_count, f.plain
        ORDER BY min(f.distance), f.rating_count DESC, char_length(f.plain), f.id
        LIMIT bound);
END $$;

-- The games with a further name that has all letters of a text in their order, or if there is none, at
-- least half of its pairs of letters. So short forms are found in scripts that are written without
-- spaces: "레데리2" is 레드 데드 리뎀션 2.
--
--   searched   In canonical spelling.
CREATE FUNCTION games_with_letters(searched text, on_platform integer, bound integer)
    RETURNS TABLE (id integer, found_name text, match integer, place bigint)
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    letters  text[]  := public.name_letters(searched);
    size     integer := cardinality(letters);
    in_order text    := '%' || array_to_string(letters, '%') || '%';
    pairs    text[]  := ARRAY(SELECT DISTINCT substr(searched, n, 2)
                              FROM generate_series(1, char_length(searched) - 1) n);
    -- Then the names to look at are those with all letters of either half of the text.
    by_pairs boolean := false;
    one_half text[]  := letters;
    other    text[]  := letters;
BEGIN
    IF size NOT BETWEEN 2 AND 60 THEN
        RETURN;
    END IF;
    LOOP
        RETURN QUERY
        SELECT c.id, c.name, 6, row_number() OVER (
                   ORDER BY c.fit DESC, public.is_minor(c.is_edition, c.type), -c.rating_count, c.sort_name,
                            c.id
               ) AS place
        FROM (SELECT DISTINCT ON (f.id) f.*
              FROM (SELECT p.*, CASE WHEN by_pairs
                                THEN (SELECT count(*) FROM unnest(pairs) pair
                                      WHERE strpos(p.whole, pair) > 0)
                                ELSE CASE WHEN strpos(p.whole, searched) > 0 THEN 4 ELSE 0 END
                                     + (left(p.whole, 2) = ' ' || letters[1])::integer
                                     + (p.whole LIKE '%' || letters[size] || ' ')::integer END AS fit
                    FROM (SELECT g.id, n.name, public.whole_name(n.searched_name) AS whole, g.is_edition,
                                 g.type, g.rating_count, g.sort_name
                          FROM public.game_names n JOIN public.games g ON g.id = n.game_id
                          WHERE (public.name_letters(public.whole_name(n.searched_name)) @> one_half
                                 OR public.name_letters(public.whole_name(n.searched_name)) @> other)
                            AND NOT g.is_hidden AND (on_platform IS NULL OR EXISTS (
                           SELECT FROM public.game_platforms o
                           WHERE (o.game_id, o.platform_id) = (g.id, on_platform) OFFSET 0))
                          LIMIT CASE WHEN by_pairs THEN 500 ELSE 1000 END) p
                    WHERE by_pairs OR p.whole LIKE in_order) f
              WHERE NOT by_pairs OR f.fit * 2 >= cardinality(pairs)
              ORDER BY f.id, f.fit DESC, char_length(f.name), f.name) c
        ORDER BY place LIMIT bound;
        EXIT WHEN FOUND OR by_pairs OR size < 4;
        by_pairs := true;
        one_half := letters[:size / 2];
        other    := letters[size / 2 + 1:];
    END LOOP;
END $$;

-- The games that a text may mean, the likeliest first, each with the further name that it was found by,
-- or NULL. This is the only way from a text to games: people search with it, and imports do.
--
-- A match is
--
--   0  the name itself, or 1 its beginning, or 2 that of a word in it
--   3  the first letters of its words
--   4  all words of the text in any order
--   5  a similar spelling
--   6  the text's letters in their order, or else many of its pairs of letters
--
-- A text without three letters in a row must begin a name. Further kinds of matches are looked for only
-- if the kinds before found nothing. Punctuation, accents, width and how numerals are written don't
-- matter. A year in brackets, or at the end, chooses among games.
--
-- Among equals, what a main name is found by comes first; then main games, remakes and remasters before
-- games that belong to others, and the best known. The numbers of candidates are bounded, so a text
-- that is part of very many names costs no more than any other. Nothing has to be escaped for LIKE,
-- because spaced_name() removes its special characters. Hidden games are left out.
--
--   on_platform   If it is not NULL, only games on this platform. With OFFSET, the planner looks up each
--                 candidate's platform. Otherwise it would read all games of the platform first.
--   with_similar  Whether a similar spelling counts.
--
-- The settings keep to the indexes: the planner doesn't know the text, and takes it for a part of a
-- twentieth of all names, of which it would read as many as the limit.
CREATE FUNCTION find_games(
    searched text, on_platform integer, bound integer, with_similar boolean DEFAULT true
)
    RETURNS TABLE (id integer, found_name text, match integer, place bigint)
    LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    written text   := public.written_name(searched);
    year    integer := public.written_year(searched);
    begun   text   := public.fold(written);
    spaced  text   := public.spaced_name(public.fold_name(written));
    plain   text   := public.unspaced_name(spaced);
    words   text[] := public.searched_words(spaced);
    forms   text[] := public.searched_forms(spaced);
    parts   text[] := ARRAY(SELECT '%' || form || '%' FROM unnest(forms) form);
    names   text[] := ARRAY(SELECT '%/ ' || form || ' /%' FROM unnest(forms) form);
    starts  text[] := ARRAY(SELECT '%/ ' || form || '%' FROM unnest(forms) form);
    inner_words text[] := ARRAY(SELECT '% ' || form || '%' FROM unnest(forms) form);
    initials    text[] := ARRAY(SELECT '%|%' || form || '%' FROM unnest(forms) form);
    shorter     text;
BEGIN
    IF plain = '' THEN
        RETURN;
    END IF;
    IF forms IS NULL THEN
        -- Too short for trigrams. A range, because an index can't look for a LIKE pattern that the
        -- planner doesn't know. No character comes after U+10FFFF.
        RETURN QUERY
        WITH found AS MATERIALIZED (
            (SELECT g.id, NULL::text AS found_name, g.sort_name = begun AS is_whole
             FROM public.games g
             WHERE g.sort_name >= begun AND g.sort_name < begun || chr(1114111)
               AND NOT g.is_hidden AND (on_platform IS NULL OR EXISTS (
                       SELECT FROM public.game_platforms o
                       WHERE (o.game_id, o.platform_id) = (g.id, on_platform) OFFSET 0))
             LIMIT 1000)
            UNION ALL
            (SELECT g.id, n.name, n.plain_name = plain
             FROM public.game_names n JOIN public.games g ON g.id = n.game_id
             WHERE n.plain_name >= plain AND n.plain_name < plain || chr(1114111)
               AND NOT g.is_hidden AND (on_platform IS NULL OR EXISTS (
                       SELECT FROM public.game_platforms o
                       WHERE (o.game_id, o.platform_id) = (g.id, on_platform) OFFSET 0))
             LIMIT 1000)
        )
        SELECT c.id, c.found_name, CASE WHEN c.is_whole THEN 0 ELSE 1 END,
               row_number() OVER (
                   ORDER BY NOT c.is_whole, (g.release_year = year) IS FALSE,
                            c.found_name IS NOT NULL,
                            public.is_minor(g.is_edition, g.type), -g.rating_count, g.sort_name, g.id
               ) AS place
        FROM (SELECT DISTINCT ON (id) * FROM found
              ORDER BY id, NOT is_whole, found_name IS NOT NULL) c
        JOIN public.games g USING (id)
        ORDER BY place LIMIT bound;
    ELSE
        RETURN QUERY
        WITH with_text AS MATERIALIZED (
            (SELECT g.id, g.searched_name, NULL::text AS found_name
             FROM public.games g
             WHERE g.searched_name LIKE ANY (parts)
               AND NOT g.is_hidden AND (on_platform IS NULL OR EXISTS (
                       SELECT FROM public.game_platforms o
                       WHERE (o.game_id, o.platform_id) = (g.id, on_platform) OFFSET 0))
             LIMIT 2000)
            UNION ALL
            (SELECT g.id, n.searched_name, n.name
             FROM public.game_names n JOIN public.games g ON g.id = n.game_id
             WHERE n.searched_name LIKE ANY (parts)
               AND NOT g.is_hidden AND (on_platform IS NULL OR EXISTS (
                       SELECT FROM public.game_platforms o
                       WHERE (o.game_id, o.platform_id) = (g.id, on_platform) OFFSET 0))
             LIMIT 2000)
        ), with_words AS MATERIALIZED (
            (SELECT g.id, g.searched_name, NULL::text AS found_name
             FROM public.games g
             WHERE NOT EXISTS (SELECT FROM with_text) AND g.searched_name LIKE words[1]
               AND g.searched_name LIKE words[2] AND g.searched_name LIKE ALL (words)
               AND NOT g.is_hidden AND (on_platform IS NULL OR EXISTS (
                       SELECT FROM public.game_platforms o
                       WHERE (o.game_id, o.platform_id) = (g.id, on_platform) OFFSET 0))
             LIMIT 2000)
            UNION ALL
            (SELECT g.id, n.searched_name, n.name
             FROM public.game_names n JOIN public.games g ON g.id = n.game_id
             WHERE NOT EXISTS (SELECT FROM with_text) AND n.searched_name LIKE words[1]
               AND n.searched_name LIKE words[2] AND n.searched_name LIKE ALL (words)
               AND NOT g.is_hidden AND (on_platform IS NULL OR EXISTS (
                       SELECT FROM public.game_platforms o
                       WHERE (o.game_id, o.platform_id) = (g.id, on_platform) OFFSET 0))
             LIMIT 2000)
        ), similar_ones AS (
            SELECT t.id, g.searched_name, NULL::text, t.place
            FROM unnest(public.games_with_similar_name(plain, on_platform, bound))
                 WITH ORDINALITY t (id, place)
            JOIN public.games g USING (id)
            -- A further name that is only part of the way there may itself be a misspelling.
            WHERE with_similar
              AND NOT EXISTS (SELECT FROM with_text
                              WHERE found_name IS NULL OR searched_name LIKE ANY (names))
              AND NOT EXISTS (SELECT FROM with_words)
        ), matches AS (
            SELECT *, CASE WHEN searched_name LIKE ANY (names) THEN 0
                           WHEN searched_name LIKE ANY (starts) THEN 1
                           WHEN searched_name LIKE ANY (inner_words) THEN 2
                           WHEN searched_name LIKE ANY (initials) THEN 3
                           WHEN NOT is_similar THEN 4
                           ELSE 5 END AS match
            FROM (SELECT *, 0 AS place, false AS is_similar FROM with_text
                  UNION ALL SELECT *, 0, false FROM with_words
                  UNION ALL SELECT *, true FROM similar_ones) all_of_them
        )
        SELECT c.id, c.found_name, c.match, row_number() OVER (
                   ORDER BY c.match, c.place, (g.release_year = year) IS FALSE,
                            c.found_name IS NOT NULL, char_length(c.found_name),
                            public.is_minor(g.is_edition, g.type), -g.rating_count, g.sort_name, g.id
               ) AS place
        FROM (SELECT DISTINCT ON (id) * FROM matches
              ORDER BY id, match, found_name IS NOT NULL, char_length(found_name)) c
        JOIN public.games g USING (id)
        ORDER BY place LIMIT bound;
    END IF;
    IF NOT FOUND THEN
        RETURN QUERY SELECT * FROM public.games_with_letters(
            public.unspaced_name(public.canonical_name(spaced)), on_platform, bound);
    END IF;
    IF NOT FOUND THEN
        -- "Doom 2016", "Portal (Steam)"
        shorter := regexp_replace(searched, '( *[(\[][^)\]]*[)\]]| +(19|20)[0-9]{2})+ *$', '');
        shorter := shorter || coalesce(' (' || substring(
            substr(searched, char_length(shorter) + 1) FROM '(?:19|20)[0-9]{2}') || ')', '');
        IF shorter NOT IN (searched, '') THEN
            RETURN QUERY SELECT * FROM public.find_games(shorter, on_platform, bound, with_similar);
        END IF;
    END IF;
END $$;
