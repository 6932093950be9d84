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
--         1. lists            (user)           by everyone who changes a list, or an account
--         2. users            (id)
--         3. circles          (id)             before their members and links
--         4. circle_webhooks  (circle)         before what is queued for them
--         5. entries          (id)             in any order, if their list is locked
--         6. hearts           (entry, giver)
--         7. heart_counts     (entry)
--         8. included_by      (platform, game)
--
--     Rows of other tables belong to a list, a user or a circle, and are locked after it. Games are
--     locked before all of these: included_by follows their names, and entries are hidden with them.
--     What hides or shows entries with games takes the lock 'move_entries' between the games and the
--     lists. A save that makes the first count of a game locks the game first, too. A statement that
--     changes a list's entries may lock them before the webhooks that are told of the list: no one who has
--     locked a webhook waits for the entries of someone else.
--   * A transaction that counts rows because of a limit takes a lock first, and counts in another
--     statement: a statement sees what there was when it began, however long it waits for a lock.

DO $$
BEGIN
    IF current_schema() IS DISTINCT FROM 'public' THEN
        RAISE EXCEPTION 'Fave Games lives in the schema public, and new tables would be made in %',
                        coalesce(quote_ident(current_schema()), 'none')
            USING HINT = 'Set search_path to public, and let the owner of the tables create in it.';
    END IF;
END $$;

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS unaccent;
CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;

-- Any text ---------------------------------------------------------------------------------------

-- Folds case and accents away. unaccent() is only STABLE because its dictionary can be changed;
-- naming the dictionary is what makes this safe to index. Migrator.checkLocale() refuses locales that
-- lower() letters in another way; some make the last sigma of a word another letter.
CREATE FUNCTION fold(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN replace(lower(unaccent('unaccent'::regdictionary, $1)), 'ς', 'σ');

-- Escapes what LIKE would take for a wildcard.
CREATE FUNCTION like_escape(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN replace(replace(replace($1, '\', '\\'), '%', '\%'), '_', '\_');

-- What doesn't change -----------------------------------------------------------------------------

CREATE FUNCTION refuse_change() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'this % of a row of % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
END $$;

-- Has changes of these columns refused, with the table's name and _constant as the constraint. Rules that
-- triggers hold for new rows and for deleted ones could be got round with them.
--
--   clearable   Those that may become NULL, because what they refer to is gone.
--   fillable    Those that may be set as long as they are NULL.
CREATE PROCEDURE hold_constant(
    held regclass, columns text[], clearable text[] DEFAULT '{}', fillable text[] DEFAULT '{}'
)
    LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(
        'CREATE OR REPLACE TRIGGER %I BEFORE UPDATE OF %s ON %s FOR EACH ROW WHEN (%s)
         EXECUTE FUNCTION public.refuse_change()',
        (SELECT relname FROM pg_class WHERE oid = held) || '_constant',
        array_to_string(columns, ', '), held,
        (SELECT string_agg(format(
                    CASE WHEN c = ANY (clearable) THEN 'NEW.%1$I <> OLD.%1$I OR OLD.%1$I IS NULL'
                             || ' AND NEW.%1$I IS NOT NULL'
                         WHEN c = ANY (fillable) THEN 'OLD.%1$I IS NOT NULL'
                             || ' AND NEW.%1$I IS DISTINCT FROM OLD.%1$I'
                         ELSE 'NEW.%1$I IS DISTINCT FROM OLD.%1$I' END, c), ' OR ')
         FROM unnest(columns) c));
END $$;

-- Usernames --------------------------------------------------------------------------------------

-- What a username looks like at a glance; FaveGames.Username.lookalike says the same.
CREATE FUNCTION lookalike(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN replace(replace(translate($1, '01-', 'ol_'), 'rn', 'm'), 'vv', 'w');

-- Games, by name ---------------------------------------------------------------------------------

-- Folds case, accents, width, the forms of one letter and the two sets of kana: "ＦＦⅦ" is "ffvii",
-- and "ぜるだ" is "ゼルダ". Accents in the place of apostrophes become apostrophes, and signs of
-- trademarks are left out, which would become letters.
CREATE FUNCTION fold_name(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN translate(
        fold(normalize(translate($1, '´`ʹʼʻ′‘’＇™®©℠', repeat('''', 9)), NFKC)),
        'ぁあぃいぅうぇえぉおかがきぎくぐけげこごさざしじすずせぜそぞただちぢっつづてでとどなにぬねの'
        'はばぱひびぴふぶぷへべぺほぼぽまみむめもゃやゅゆょよらりるれろゎわゐゑをんゔ',
        'ァアィイゥウェエォオカガキギクグケゲコゴサザシジスズセゼソゾタダチヂッツヅテデトドナニヌネノ'
        'ハバパヒビピフブプヘベペホボポマミムメモャヤュユョヨラリルレロヮワヰヱヲンヴ');

-- A folded name without punctuation: "baldurs gate ii shadows of amn", "stalker". Folding makes (R)
-- of ®.
CREATE FUNCTION spaced_name(folded text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN btrim(regexp_replace(translate(replace(folded, '(r)', ''), '''’`´.', ''),
                                '[!-/:-@[-`{-~ –—・·、。〈-】〔-〟…－－~〜]+', ' ', 'g'));

-- The same without the spaces beside letters of scripts that are written without them: "록맨x".
CREATE FUNCTION unspaced_name(spaced text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(spaced, ' *([ᄀ-ᇿ぀-ヿ㐀-䶿一-鿿가-힯]) *', '\1', 'g');

-- A folded name as short texts and misspelled ones are compared with it.
CREATE FUNCTION plain_name(folded text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN unspaced_name(spaced_name(folded));

-- A spaced name in the spelling that all spellings are compared in: numerals in digits, "bros" for
-- "brothers", no "and". "I" is left, since it is a word more often than a number. Letters and numerals
-- are words of their own beside scripts that are written without spaces.
CREATE FUNCTION canonical_name(spaced text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    spellings CONSTANT text[] := '{
        {ii,2},{iii,3},{iv,4},{v,5},{vi,6},{vii,7},{viii,8},{ix,9},{x,10},{xi,11},{xii,12},
        {xiii,13},{xiv,14},{xv,15},{xvi,16},{brothers,bros},{versus,vs},{doctor,dr},{mister,mr},
        {saint,st}}';
    name text := replace(' ' || regexp_replace(regexp_replace(spaced,
                             '([ᄀ-ᇿ぀-ヿ㐀-䶿一-鿿가-힯])([a-z0-9])', '\1 \2', 'g'),
                             '([a-z0-9])([ᄀ-ᇿ぀-ヿ㐀-䶿一-鿿가-힯])', '\1 \2', 'g') || ' ',
                         ' and ', ' ');
BEGIN
    FOR n IN 1..array_length(spellings, 1) LOOP
        name := replace(name, ' ' || spellings[n][1] || ' ', ' ' || spellings[n][2] || ' ');
    END LOOP;
    RETURN btrim(name);
END $$;

-- The first letters of a spaced name's words: "gtav", "tlozbotw".
CREATE FUNCTION name_initials(spaced text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(spaced, '([^ ])[^ ]* *', '\1', 'g');

-- The first letters of a canonical name's words, and its numbers: "ff7", "mk64", "파판7".
CREATE FUNCTION canonical_initials(canonical text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(canonical, '([^ 0-9])[^ ]* *|([0-9]+)[^ ]* *', '\1\2', 'g');

-- All that a name may be searched for: its words as they are written and in canonical spelling,
-- each with "/ " before and " /" after, and the first letters of both: "/ mario kart viii / mario
-- kart 8 /|mkv|mk8".
CREATE FUNCTION searched_name(name text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    spaced    text := public.spaced_name(public.fold_name(name));
    canonical text := public.canonical_name(spaced);
BEGIN
    RETURN '/ ' || public.unspaced_name(spaced) || ' / ' || public.unspaced_name(canonical)
        || ' /|' || public.name_initials(spaced) || '|' || public.canonical_initials(canonical);
END $$;

-- The part of a searched name that is as it is written, without punctuation.
CREATE FUNCTION plain_part(searched_name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN btrim(split_part(searched_name, '/', 2));

-- The part of a searched name that has the canonical spelling, with a space at each end.
CREATE FUNCTION whole_name(searched_name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN left(split_part(searched_name, '/', 3), 200);

-- The letters of such a name, and its numbers, if it is in a script that is written without spaces.
CREATE FUNCTION name_letters(whole text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN whole ~ '[ᄀ-ᇿ぀-ヿ㐀-䶿一-鿿가-힯]'
                THEN ARRAY(SELECT m.part[1]
                           FROM regexp_matches(whole, '[0-9]+|[^ 0-9]', 'g')
                                WITH ORDINALITY m (part, place)
                           ORDER BY m.place)
                ELSE '{}' END;

-- Games, by what people write --------------------------------------------------------------------

-- A name that someone has written, with its article in front, as it is in catalogues: "Witcher 3, The"
-- and "Legend of Zelda, The: Ocarina of Time". A year in brackets at the end is left out.
CREATE FUNCTION written_name(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(
        regexp_replace($1, '^(.*[^ ]) *[(\[](19|20)[0-9]{2}[)\]] *$', '\1'),
        '^([^,]+), (the|an?|der|die|das|les?|la|el|los|las|il)( *[:–—-] .*|: *.*)?$',
        '\2 \1\3', 'i');

-- The year in brackets at the end of a written name, as in "Doom (2016)".
CREATE FUNCTION written_year(text) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN substring($1 FROM '[(\[]((?:19|20)[0-9]{2})[)\]] *$')::integer;

-- The same of a written name as whole_name returns of a searched name.
CREATE FUNCTION written_whole_name(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN left(' ' || unspaced_name(canonical_name(spaced_name(fold_name(written_name($1))))) || ' ',
                200);

-- The ways to read a spaced text that is searched for: as it is, in canonical spelling, and as
-- initials with a numeral, as "gtaiv" and "ff vii". None is so short that it has no trigram.
CREATE FUNCTION searched_forms(spaced text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_agg(DISTINCT f.form)
    FROM unnest(ARRAY[
            public.unspaced_name(spaced), public.unspaced_name(public.canonical_name(spaced)),
            replace(public.canonical_name(
                regexp_replace(spaced, '^([a-z]{2,5}?) ?([ivx]{2,}|[0-9]+)$', '\1 \2')), ' ', '')
         ]) WITH ORDINALITY f (form, place)
    WHERE f.form ~ '[[:alnum:]]{3}'
      AND (f.place < 3 OR spaced ~ '^[a-z]{2,5}? ?([ivx]{2,}|[0-9]+)$')
$$;

-- What a name must be like to have all words of a spaced text, in any order and with initials among
-- them, as "zelda botw": a pattern for each word, the longest first. Short words must begin a word
-- of the name, except in scripts that are written without spaces; those need a longer word beside them,
-- because they have no trigram. NULL for a single word.
CREATE FUNCTION searched_words(spaced text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN count(*) > 1 AND (bool_or(w.is_long) OR NOT bool_or(w.is_unspaced))
                THEN array_agg(CASE WHEN w.is_long OR w.is_unspaced THEN '%' ELSE '% ' END
                               || w.word || '%'
                               ORDER BY w.is_long DESC, w.is_unspaced, char_length(w.word) DESC,
                                        w.word) END
    FROM (SELECT DISTINCT word, word ~ '[[:alnum:]]{3}' AS is_long,
                 word !~ '[[:alnum:]]{3}' AND word ~ '[ᄀ-ᇿ぀-ヿ㐀-䶿一-鿿가-힯]' AS is_unspaced
          FROM string_to_table(public.canonical_name(spaced), ' ') word
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
