-- Users are found by the beginning of their username in the order of an index that holds nobody else,
-- and a search for very many words costs no more than one for a few.
-- oldest-server: 10
-- step (outside a transaction): Index public users by name
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_public ON users (username text_pattern_ops)
    WHERE visibility = 'public' AND disabled_at IS NULL;
-- step (outside a transaction): Drop the index that it replaces
DROP INDEX CONCURRENTLY IF EXISTS users_prefix;
-- step: Look up what is rare only
-- The public entries with a word: no more than `bound`. Of a word with very many entries the index gives
-- some only.
CREATE FUNCTION entries_with_word(word tsquery, bound integer) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off
    SET max_parallel_workers_per_gather = 0 SET gin_fuzzy_search_limit = 20000 AS $$
BEGIN
    RETURN ARRAY(
        SELECT e.id FROM entries e
        WHERE e.audience = 'public' AND e.comment <> '' AND e.words @@ word
        LIMIT bound);
END $$;

-- As in 0009_words.sql, but a word that many people have used lately is not looked up, since it isn't
-- rare; and of many words only the four longest are, which are the rarest as a rule. Each costs as much
-- as a page.
CREATE OR REPLACE FUNCTION entries_with_rare_word(searched text, bound integer) RETURNS uuid[]
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    total  real := (SELECT reltuples FROM pg_class WHERE oid = 'entries'::regclass);
    word   tsquery;
    lately bigint;
    found  uuid[];
    -- A text without a word is in no entry.
    result uuid[] := '{}';
BEGIN
    FOR word IN
        -- Quoted, so that it is not taken apart again.
        SELECT ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery
        FROM unnest(to_tsvector('simple'::regconfig, fold(searched)))
        ORDER BY length(lexeme) DESC
        LIMIT 4
    LOOP
        result := NULL;
        SELECT count(DISTINCT user_id) INTO lately
        FROM (SELECT e.user_id, e.words FROM entries e WHERE e.audience = 'public'
              ORDER BY e.created_at DESC, e.id DESC LIMIT 200) latest
        WHERE words @@ word;
        -- One person alone can't make a word look common.
        CONTINUE WHEN lately >= 10 AND lately * total > 200 * 4 * bound;
        found := entries_with_word(word, bound + 1);
        IF cardinality(found) <= bound THEN
            RETURN found;
        END IF;
    END LOOP;
    RETURN result;
END $$;

-- The public entries with this tag if there are no more than `bound` of them, else NULL.
-- entries_with_tag() does the reading, as before.
CREATE FUNCTION entries_with_rare_tag(searched text, bound integer) RETURNS uuid[]
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    total  real := (SELECT reltuples FROM pg_class WHERE oid = 'entries'::regclass);
    lately bigint;
    found  uuid[];
BEGIN
    SELECT count(DISTINCT user_id) INTO lately
    FROM (SELECT e.user_id, e.tags FROM entries e WHERE e.audience = 'public'
          ORDER BY e.created_at DESC, e.id DESC LIMIT 200) latest
    WHERE tags @> ARRAY[searched];
    IF lately >= 10 AND lately * total > 200 * 4 * bound THEN
        RETURN NULL;
    END IF;
    found := ARRAY(SELECT entries_with_tag(searched, bound + 1));
    RETURN CASE WHEN cardinality(found) <= bound THEN found END;
END $$;
