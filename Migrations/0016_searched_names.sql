-- Games are found as people abbreviate and spell their names: "ff7", "gta 5", "witcher iii", "super mario
-- brothers", "zelda botw", "zleda".
--
-- games_initials is left for servers of the version before. games_search was for those before that.
-- oldest-server: 12
-- step: What names are compared by

-- A plain name in the spelling that all spellings are compared in: numerals in digits, "bros" for
-- "brothers", no "and". "I" is left, since it is a word more often than a number.
CREATE FUNCTION canonical_name(plain text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    spellings CONSTANT text[] := '{
        {ii,2},{iii,3},{iv,4},{v,5},{vi,6},{vii,7},{viii,8},{ix,9},{x,10},{xi,11},{xii,12},
        {xiii,13},{xiv,14},{xv,15},{xvi,16},{brothers,bros},{versus,vs},{doctor,dr},{mister,mr},
        {saint,st}}';
    name text := replace(' ' || plain || ' ', ' and ', ' ');
BEGIN
    FOR n IN 1..array_length(spellings, 1) LOOP
        name := replace(name, ' ' || spellings[n][1] || ' ', ' ' || spellings[n][2] || ' ');
    END LOOP;
    RETURN btrim(name);
END $$;

-- The first letters of a canonical name's words, and its numbers: "ff7", "mk64", "tlozbotw".
CREATE FUNCTION canonical_initials(canonical text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(canonical, '([^ 0-9])[^ ]* *|([0-9]+)[^ ]* *', '\1\2', 'g');

-- All that a name may be searched for: its words as they are written and in canonical spelling, each with
-- "/ " before and " /" after, and the first letters of both: "/ mario kart viii / mario kart 8 /|mkv|mk8".
CREATE FUNCTION searched_name(name text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    plain     text := plain_name(fold(name));
    canonical text := canonical_name(plain);
BEGIN
    RETURN '/ ' || plain || ' / ' || canonical
        || ' /|' || name_initials(plain) || '|' || canonical_initials(canonical);
END $$;

-- Stored, since it takes longer to make than to look at. Rows that were there get theirs in the next step.
ALTER TABLE games ADD COLUMN searched_name text;

CREATE FUNCTION set_searched_name() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    NEW.searched_name := searched_name(NEW.name);
    RETURN NEW;
END $$;

CREATE TRIGGER searched_name BEFORE INSERT OR UPDATE OF name ON games
    FOR EACH ROW EXECUTE FUNCTION set_searched_name();

-- The ways to read a plain text that is searched for: as it is, in canonical spelling, and as initials with
-- a numeral, as "gtaiv" and "ff vii". None is so short that it has no trigram.
CREATE FUNCTION searched_forms(plain text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_agg(DISTINCT f.form)
    FROM unnest(ARRAY[
            plain, canonical_name(plain),
            replace(canonical_name(
                regexp_replace(plain, '^([a-z]{2,5}?) ?([ivx]{2,}|[0-9]+)$', '\1 \2')), ' ', '')
         ]) WITH ORDINALITY f (form, place)
    WHERE f.form ~ '[[:alnum:]]{3}' AND (f.place < 3 OR plain ~ '^[a-z]{2,5}? ?([ivx]{2,}|[0-9]+)$')
$$;

-- What a name must be like to have all words of a plain text, in any order and with initials among them, as
-- "zelda botw": a pattern for each word, the longest first. Short words must begin a word of the name.
-- NULL for a single word.
CREATE FUNCTION searched_words(plain text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN count(*) > 1 THEN array_agg(w.pattern ORDER BY w.size DESC, w.pattern) END
    FROM (SELECT DISTINCT char_length(word) AS size,
                 CASE WHEN word ~ '[[:alnum:]]{3}' THEN '%' ELSE '% ' END || word || '%' AS pattern
          FROM string_to_table(canonical_name(plain), ' ') word
          WHERE word ~ '[[:alnum:]]' AND word NOT IN ('', 'the', 'of', 'a', 'an', 'in', 'to')) w
$$;

-- step (in batches): Store what games are searched for
UPDATE games SET searched_name = searched_name(name)
WHERE id IN (SELECT id FROM games WHERE searched_name IS NULL LIMIT 1000);
-- step: From now on every game has it
ALTER TABLE games ADD CONSTRAINT games_searched_name_check
    CHECK (searched_name IS NOT NULL) NOT VALID;
-- step: And so has every game that was there
ALTER TABLE games VALIDATE CONSTRAINT games_searched_name_check;
-- step (outside a transaction): Index what games are searched for
CREATE INDEX CONCURRENTLY IF NOT EXISTS games_searched_names
    ON games USING gin (searched_name gin_trgm_ops);
-- step: Find similar names by it
-- The games whose names have something that is written much like the text, the most similar first: one
-- letter is wrong or two are swapped, or two are wrong of a longer text.
--
--   platform   If it is not NULL, only games on this platform.
CREATE OR REPLACE FUNCTION games_with_similar_name(
    searched text, platform integer, bound integer
) RETURNS integer[]
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    size    integer := char_length(searched);
    -- The text with each two neighbours swapped, which has few trigrams in common with the text.
    swapped text[];
BEGIN
    IF size NOT BETWEEN 4 AND 60 THEN
        RETURN '{}';
    END IF;
    swapped := ARRAY(
        SELECT '% ' || overlay(searched PLACING reverse(substr(searched, n, 2)) FROM n) || '%'
        FROM generate_series(1, least(size, 20) - 1) n
        WHERE substr(searched, n, 2) NOT LIKE '% %');
    -- For this transaction. A SET clause would need pg_trgm to be loaded when a dump is restored.
    PERFORM set_config('pg_trgm.word_similarity_threshold',
                       CASE WHEN size < 7 THEN '0.3' ELSE '0.45' END, true);
    RETURN ARRAY(
        SELECT f.id
        FROM (SELECT c.id, c.rating_count, c.plain, 1 AS distance
              FROM (SELECT g.id, g.rating_count, plain_name(g.sort_name) AS plain
                    FROM games g
                    WHERE g.searched_name LIKE ANY (swapped)
                      AND (platform IS NULL OR EXISTS (
                          SELECT FROM game_platforms o
                          WHERE (o.game_id, o.platform_id) = (g.id, platform) OFFSET 0))
                    LIMIT 1000) c
              UNION
              SELECT c.id, c.rating_count, c.plain,
                     greatest(distance_to_part(searched, c.plain), 1)
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
        GROUP BY f.id, f.rating_count, f.plain
        ORDER BY min(f.distance), f.rating_count DESC, char_length(f.plain), f.id
        LIMIT bound);
END $$;
-- step (outside a transaction): Drop an index that no server uses any more
DROP INDEX CONCURRENTLY IF EXISTS games_search;
