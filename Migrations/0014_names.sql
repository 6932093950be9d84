-- Games are found as people write their names: without apostrophes and punctuation, by the first letters
-- of their words, and with a letter wrong.
-- oldest-server: 12
-- step: What names are compared by
-- A folded name without punctuation: "baldurs gate ii shadows of amn", "stalker".
CREATE FUNCTION plain_name(folded text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN btrim(regexp_replace(translate(folded, '''’`´.', ''), '[!-/:-@[-`{-~ –—™®]+', ' ', 'g'));

-- The first letters of a folded name's words: "gtav", "tlozbotw".
CREATE FUNCTION name_initials(folded text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(plain_name(folded), '([^ ])[^ ]* *', '\1', 'g');
-- step (outside a transaction): Index names without punctuation
CREATE INDEX CONCURRENTLY IF NOT EXISTS games_plain_names
    ON games USING gin (plain_name(sort_name) gin_trgm_ops);
-- step (outside a transaction): Index initials
CREATE INDEX CONCURRENTLY IF NOT EXISTS games_initials
    ON games USING gin (name_initials(sort_name) gin_trgm_ops);
-- step (outside a transaction): Drop the index that they replace
DROP INDEX CONCURRENTLY IF EXISTS games_search;
-- step: Look up what is written in a similar way
CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;

-- How many letters have to be changed, added or left out to make a text of some part of a plain name
-- that begins with a word.
CREATE FUNCTION distance_to_part(searched text, plain text) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT min(levenshtein_less_equal(
                   searched, left(rest.words, char_length(searched) + difference), 3))
        FROM generate_series(1, 12) AS w (number),
             LATERAL (SELECT substr(plain, 1 + char_length(array_to_string(
                          (string_to_array(plain, ' '))[:w.number - 1], ' '))
                          + (w.number > 1)::integer) AS words) rest,
             generate_series(-1, 1) AS d (difference)
        WHERE rest.words <> '');

-- The games whose names have something that is written much like the text, the most similar first: one
-- letter is wrong, or two of a longer text, which are two swapped ones as a rule.
CREATE FUNCTION games_with_similar_name(searched text, bound integer) RETURNS integer[]
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF char_length(searched) NOT BETWEEN 4 AND 60 THEN
        RETURN '{}';
    END IF;
    -- For this transaction. A SET clause would need pg_trgm to be loaded when a dump is restored.
    PERFORM set_config('pg_trgm.word_similarity_threshold', '0.3', true);
    RETURN ARRAY(
        SELECT f.id
        FROM (SELECT c.*, distance_to_part(searched, c.plain) AS distance
              FROM (SELECT g.id, g.rating_count, plain_name(g.sort_name) AS plain
                    FROM games g WHERE plain_name(g.sort_name) %> searched
                    ORDER BY word_similarity(searched, plain_name(g.sort_name)) DESC, g.id
                    LIMIT 300) c) f
        WHERE f.distance <= CASE WHEN char_length(searched) < 5 THEN 1 ELSE 2 END
        ORDER BY f.distance, f.rating_count DESC, char_length(f.plain), f.id
        LIMIT bound);
END $$;
