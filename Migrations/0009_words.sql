-- The words of comments are stored, so that a search does not have to find them in each comment that
-- it looks at; and a search for several words finds every entry that has them all.

-- Writes the whole table anew. Meanwhile nobody can read or write entries.
ALTER TABLE entries ADD COLUMN words tsvector
    GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, fold(comment))) STORED;

DROP INDEX entries_words;
CREATE INDEX entries_words ON entries USING gin (words) WHERE audience = 'public' AND comment <> '';

-- The public entries with one of these words, if there are no more than `bound` of these: the first
-- word of which that is true. NULL if it is true of none; then the words are so common that someone
-- who goes through the latest entries soon meets them.
--
-- Of a word with very many entries the index gives some only, which is enough to see that they are
-- many. It thins each word by itself, so asked for two common words it would miss most entries that
-- have both: each word is looked up alone. The planner cannot know how rare a word is, and would now
-- and then read all entries for one that nobody uses; here it has the one index only.
--
-- entries_with_words(), which this replaces, stays for servers of the version before.
CREATE FUNCTION entries_with_rare_word(searched text, bound integer) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off
    SET max_parallel_workers_per_gather = 0 SET gin_fuzzy_search_limit = 20000 AS $$
DECLARE
    word  tsquery;
    found uuid[];
BEGIN
    FOR word IN
        -- Quoted, so that it is not taken apart again.
        SELECT ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery
        FROM unnest(to_tsvector('simple'::regconfig, fold(searched)))
        ORDER BY length(lexeme) DESC
        LIMIT 10
    LOOP
        found := ARRAY(
            SELECT e.id FROM entries e
            WHERE e.audience = 'public' AND e.comment <> '' AND e.words @@ word
            LIMIT bound + 1);
        IF cardinality(found) <= bound THEN
            RETURN found;
        END IF;
    END LOOP;
    -- A text without a word is in no entry.
    RETURN CASE WHEN found IS NULL THEN '{}'::uuid[] END;
END $$;
