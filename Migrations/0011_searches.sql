-- Users are found by the beginning of their username in the order of an index that holds nobody else,
-- and a search for very many words costs no more than one for a few.
-- oldest-server: 10
-- step (outside a transaction): Index public users by name
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_public ON users (username text_pattern_ops)
    WHERE visibility = 'public' AND disabled_at IS NULL;
-- step (outside a transaction): Drop the index that it replaces
DROP INDEX CONCURRENTLY IF EXISTS users_prefix;
-- step: Look for the longest words only
-- As in 0009_words.sql, but of many words the four longest are looked up. They are the rarest, as a
-- rule, and each costs as much as a page.
CREATE OR REPLACE FUNCTION entries_with_rare_word(searched text, bound integer) RETURNS uuid[]
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
        LIMIT 4
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
