-- Names: how they are compared, searched for and told apart. These functions have no tables, and
-- the indexes and generated columns of later files depend on them, so they must not change what
-- they return.
--
-- What holds for all files:
--
--   * Everything is in the schema public. Functions that write, and those that triggers run, name
--     tables and each other with it, so that neither a temporary table nor a schema that comes
--     first in someone's search path gets what was meant for ours.
--   * Triggers of a statement run in the order of their names. Where that matters, the names begin
--     with a letter for it: a_ comes first, z_ last.
--   * A transaction that locks rows of several of these tables takes them in this order, and the
--     rows of one table in the order in brackets. So no two transactions wait for each other in a
--     circle.
--
--         1. lists         (user)              by everyone who changes a list, or an account
--         2. users         (id)
--         3. circles       (id)                before their members and links
--         4. entries       (id)                in any order, if their list is locked
--         5. hearts        (entry, giver)
--         6. heart_counts  (entry)
--         7. included_by   (platform, game)
--
--     Rows of other tables belong to a list, a user or a circle, and are locked after it. Games are
--     locked before all of these: included_by follows their names, and entries are hidden with them.
--     What hides or shows entries with games takes the lock 'move_entries' between the games and the
--     lists.
--   * A transaction that counts rows because of a limit takes a lock first, and counts in another
--     statement: a statement sees what there was when it began, however long it waits for a lock.

DO $$
BEGIN
    IF current_schema() IS DISTINCT FROM 'public' THEN
        RAISE EXCEPTION 'Fave Games lives in the schema public, and new tables would be made in %',
                        coalesce(quote_ident(current_schema()), 'none')
            USING HINT = 'Set search_path to public, and let the owner of the tables create in it.';
    END IF;
    IF getdatabaseencoding() <> 'UTF8' THEN
        RAISE EXCEPTION 'Fave Games needs a database with the encoding UTF8, and % has %',
                        current_database(), getdatabaseencoding()
            USING HINT = 'Make the database with createdb --encoding UTF8 --locale C.UTF-8 '
                         '--template template0.';
    END IF;
END $$;

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;
CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;

-- Any text ---------------------------------------------------------------------------------------

-- Folds case and accents away. unaccent() is only STABLE because its dictionary can be changed;
-- naming the dictionary is what makes this safe to index.
CREATE FUNCTION fold(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lower(unaccent('unaccent'::regdictionary, $1));

-- Escapes what LIKE would take for a wildcard.
CREATE FUNCTION like_escape(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN replace(replace(replace($1, '\', '\\'), '%', '\%'), '_', '\_');

-- Usernames --------------------------------------------------------------------------------------

-- What a username looks like at a glance; FaveGames.Username.lookalike says the same.
CREATE FUNCTION lookalike(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN replace(replace(translate($1, '01-', 'ol_'), 'rn', 'm'), 'vv', 'w');

-- Games, by name ---------------------------------------------------------------------------------

-- Folds case, accents, width, the forms of one letter and the two sets of kana: "ＦＦⅦ" is "ffvii",
-- and "ぜるだ" is "ゼルダ".
CREATE FUNCTION fold_name(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN translate(
        fold(normalize($1, NFKC)),
        'ぁあぃいぅうぇえぉおかがきぎくぐけげこごさざしじすずせぜそぞただちぢっつづてでとどなにぬねの'
        'はばぱひびぴふぶぷへべぺほぼぽまみむめもゃやゅゆょよらりるれろゎわゐゑをんゔ',
        'ァアィイゥウェエォオカガキギクグケゲコゴサザシジスズセゼソゾタダチヂッツヅテデトドナニヌネノ'
        'ハバパヒビピフブプヘベペホボポマミムメモャヤュユョヨラリルレロヮワヰヱヲンヴ');

-- A folded name without punctuation: "baldurs gate ii shadows of amn", "stalker". Folding makes (R)
-- of ®. Beside letters of scripts that are written without spaces, there are none: "록맨x".
CREATE FUNCTION plain_name(folded text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(
        btrim(regexp_replace(translate(replace(folded, '(r)', ''), '''’`´.', ''),
                             '[!-/:-@[-`{-~ –—・·、。〈-】〔-〟…－－~〜]+', ' ', 'g')),
        ' *([ᄀ-ᇿ぀-ヿ㐀-䶿一-鿿가-힯]) *', '\1', 'g');

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

-- The first letters of a plain name's words: "gtav", "tlozbotw".
CREATE FUNCTION name_initials(plain text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(plain, '([^ ])[^ ]* *', '\1', 'g');

-- The first letters of a canonical name's words, and its numbers: "ff7", "mk64", "tlozbotw".
CREATE FUNCTION canonical_initials(canonical text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(canonical, '([^ 0-9])[^ ]* *|([0-9]+)[^ ]* *', '\1\2', 'g');

-- All that a name may be searched for: its words as they are written and in canonical spelling,
-- each with "/ " before and " /" after, and the first letters of both: "/ mario kart viii / mario
-- kart 8 /|mkv|mk8".
CREATE FUNCTION searched_name(name text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    plain     text := public.plain_name(public.fold_name(name));
    canonical text := public.canonical_name(plain);
BEGIN
    RETURN '/ ' || plain || ' / ' || canonical
        || ' /|' || public.name_initials(plain) || '|' || public.canonical_initials(canonical);
END $$;

-- The part of a searched name that has the canonical spelling, with a space at each end.
CREATE FUNCTION whole_name(searched_name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN left(split_part(searched_name, '/', 3), 200);

-- The same of a name that someone else has written.
CREATE FUNCTION written_name(name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN left(' ' || canonical_name(plain_name(fold_name(name))) || ' ', 200);

-- Games, by what people type ---------------------------------------------------------------------

-- The ways to read a plain text that is searched for: as it is, in canonical spelling, and as
-- initials with a numeral, as "gtaiv" and "ff vii". None is so short that it has no trigram.
CREATE FUNCTION searched_forms(plain text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_agg(DISTINCT f.form)
    FROM unnest(ARRAY[
            plain, public.canonical_name(plain),
            replace(public.canonical_name(
                regexp_replace(plain, '^([a-z]{2,5}?) ?([ivx]{2,}|[0-9]+)$', '\1 \2')), ' ', '')
         ]) WITH ORDINALITY f (form, place)
    WHERE f.form ~ '[[:alnum:]]{3}' AND (f.place < 3 OR plain ~ '^[a-z]{2,5}? ?([ivx]{2,}|[0-9]+)$')
$$;

-- What a name must be like to have all words of a plain text, in any order and with initials among
-- them, as "zelda botw": a pattern for each word, the longest first. Short words must begin a word
-- of the name. NULL for a single word.
CREATE FUNCTION searched_words(plain text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN count(*) > 1 THEN array_agg(w.pattern ORDER BY w.size DESC, w.pattern) END
    FROM (SELECT DISTINCT char_length(word) AS size,
                 CASE WHEN word ~ '[[:alnum:]]{3}' THEN '%' ELSE '% ' END || word || '%' AS pattern
          FROM string_to_table(public.canonical_name(plain), ' ') word
          WHERE word ~ '[[:alnum:]]' AND word NOT IN ('', 'the', 'of', 'a', 'an', 'in', 'to')) w
$$;

-- How many letters have to be changed, added or left out to make a text of some part of a plain
-- name that begins with a word. 3 means that there are more.
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
