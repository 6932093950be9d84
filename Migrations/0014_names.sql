-- Games are found as people write their names: without apostrophes and punctuation, by the first letters
-- of their words, and with a letter wrong.
--
-- games_search is left for servers of the version before, which look for names as they are.
-- oldest-server: 12
-- step: What names are compared by
CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;

-- A folded name without punctuation: "baldurs gate ii shadows of amn", "stalker". Folding makes (R) of ®.
CREATE FUNCTION plain_name(folded text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN btrim(regexp_replace(translate(replace(folded, '(r)', ''), '''’`´.', ''),
                                '[!-/:-@[-`{-~ –—]+', ' ', 'g'));

-- The first letters of a folded name's words: "gtav", "tlozbotw".
CREATE FUNCTION name_initials(folded text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(plain_name(folded), '([^ ])[^ ]* *', '\1', 'g');

-- How many letters have to be changed, added or left out to make a text of some part of a plain name
-- that begins with a word. 3 means that there are more.
CREATE FUNCTION distance_to_part(searched text, plain text) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    best  integer := 3;
    rest  text    := plain;
    place integer;
BEGIN
    FOR word IN 1..12 LOOP
        FOR difference IN -1..1 LOOP
            best := least(best, levenshtein_less_equal(
                searched, left(rest, char_length(searched) + difference), best));
        END LOOP;
        place := strpos(rest, ' ');
        EXIT WHEN place = 0;
        rest := substr(rest, place + 1);
    END LOOP;
    RETURN best;
END $$;

-- The games whose names have something that is written much like the text, the most similar first: one
-- letter is wrong, or two of a longer text, which are two swapped ones as a rule.
--
--   platform   If it is not NULL, only games on this platform.
CREATE FUNCTION games_with_similar_name(
    searched text, platform integer, bound integer
) RETURNS integer[]
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    size integer := char_length(searched);
BEGIN
    IF size NOT BETWEEN 4 AND 60 THEN
        RETURN '{}';
    END IF;
    -- For this transaction. A SET clause would need pg_trgm to be loaded when a dump is restored.
    PERFORM set_config('pg_trgm.word_similarity_threshold',
                       CASE WHEN size < 7 THEN '0.3' ELSE '0.45' END, true);
    RETURN ARRAY(
        SELECT f.id
        FROM (SELECT c.*, distance_to_part(searched, c.plain) AS distance
              FROM (SELECT s.*
                    -- So that no text costs more than others, however much of names it has.
                    FROM (SELECT g.id, g.rating_count, plain_name(g.sort_name) AS plain
                          FROM games g
                          WHERE plain_name(g.sort_name) %> searched
                            AND (platform IS NULL OR EXISTS (
                                SELECT FROM game_platforms o
                                WHERE (o.game_id, o.platform_id) = (g.id, platform) OFFSET 0))
                          LIMIT 1000) s
                    ORDER BY word_similarity(searched, s.plain) DESC, s.rating_count DESC, s.id
                    LIMIT 100) c) f
        WHERE f.distance <= CASE WHEN size < 5 THEN 1 ELSE 2 END
        ORDER BY f.distance, f.rating_count DESC, char_length(f.plain), f.id
        LIMIT bound);
END $$;
-- step (outside a transaction): Index names without punctuation
CREATE INDEX CONCURRENTLY IF NOT EXISTS games_plain_names
    ON games USING gin (plain_name(sort_name) gin_trgm_ops);
-- step (outside a transaction): Index initials
CREATE INDEX CONCURRENTLY IF NOT EXISTS games_initials
    ON games USING gin (name_initials(sort_name) gin_trgm_ops);
