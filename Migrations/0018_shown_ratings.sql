-- People choose whether others see their ratings. Those who have given some by now go on showing them.
--
-- A server of the version before shows the ratings of everyone for as long as it runs.
-- oldest-server: 12
-- step: A choice for each user
ALTER TABLE users ADD COLUMN shows_ratings boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION note_users() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM note_changes('{users}');
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM before b, unnest(ARRAY['users', 'lists', 'user ' || b.id]) AS k (key);
    ELSE
        -- Someone may be adding an entry right now, to which the other name would be shown. The
        -- lock of the list waits for them, or makes them wait.
        PERFORM FROM lists WHERE user_id IN (SELECT id FROM after)
        ORDER BY user_id FOR NO KEY UPDATE;
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM before b
        JOIN after a USING (id)
        LEFT JOIN entries e ON e.user_id = b.id
        CROSS JOIN unnest(ARRAY['users', 'lists', 'user ' || b.id]
                          || entry_keys(b.id, e.platform_id, e.game_id)) AS k (key)
        WHERE key IS NOT NULL
          AND (b.username, b.display_name, b.bio, b.visibility, b.disabled_at, b.created_at,
               b.shows_ratings)
              IS DISTINCT FROM
              (a.username, a.display_name, a.bio, a.visibility, a.disabled_at, a.created_at,
               a.shows_ratings);
    END IF;
    RETURN NULL;
END $$;
-- step (in batches): Those who have given ratings show them
UPDATE users SET shows_ratings = true
WHERE id IN (SELECT u.id FROM users u
             WHERE NOT u.shows_ratings
               AND EXISTS (SELECT FROM entries e WHERE e.user_id = u.id AND e.rating IS NOT NULL)
             LIMIT 1000);
-- step (outside a transaction): Drop an index that would tell hidden ratings
DROP INDEX CONCURRENTLY IF EXISTS entries_rating;
