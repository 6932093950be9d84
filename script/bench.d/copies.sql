-- Copies all people, for copy_people.
SET session_replication_role = replica;
SET synchronous_commit = off;
SET maintenance_work_mem = '512MB';
SET work_mem = '128MB';

CREATE TEMP TABLE dropped AS
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', c.conrelid::regclass, c.conname) AS leaving,
           format('ALTER TABLE %s ADD CONSTRAINT %I %s', c.conrelid::regclass, c.conname,
                  pg_get_constraintdef(c.oid)) AS coming
    FROM pg_constraint c
    WHERE c.contype IN ('p', 'u') AND c.connamespace = 'public'::regnamespace
      -- No foreign key refers to it.
      AND NOT EXISTS (SELECT FROM pg_constraint f WHERE f.contype = 'f' AND f.conindid = c.conindid)
    UNION ALL
    SELECT format('DROP INDEX %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
    FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
    WHERE t.relnamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid);
SELECT leaving FROM dropped \gexec

CREATE TEMP TABLE copies AS
    SELECT n, CASE n % 2 WHEN 1 THEN 10000000 + n / 2 % least(:copies / 10 + 1, 100) * 1000000 END
           AS games_from
    FROM generate_series(1, :copies) AS n;
CREATE TEMP TABLE copied_games AS
    SELECT c.first + g.number AS id, g.id AS original, c.first
    FROM (SELECT DISTINCT games_from AS first FROM copies WHERE games_from IS NOT NULL) c
    CROSS JOIN (SELECT id, row_number() OVER (ORDER BY id) AS number
                FROM (SELECT game_id AS id FROM entries UNION SELECT game_id FROM snapshot_entries) e) g;
ANALYZE copies, copied_games;
-- The id of copy n of something.
CREATE FUNCTION pg_temp.copied(id uuid, n integer) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN md5(id::text || n::text)::uuid;

INSERT INTO games (id, name, localized_names, release_year, cover_image_id, type, is_edition, rating_count)
    SELECT c.id, n.name, g.localized_names, g.release_year, g.cover_image_id, g.type, g.is_edition, g.rating_count
    FROM copied_games c
    JOIN games g ON g.id = c.original
    CROSS JOIN LATERAL (SELECT g.name || ' ' || c.first / 1000000 AS name) n;
INSERT INTO game_platforms (game_id, platform_id)
    SELECT c.id, p.platform_id FROM copied_games c JOIN game_platforms p ON p.game_id = c.original;
INSERT INTO users (id, username, display_name, created_at, bio, visibility, may_look_alike,
                   shows_ratings)
    SELECT pg_temp.copied(u.id, c.n), left(u.username, 24) || '-' || c.n, u.display_name,
           u.created_at - c.n * interval '1 minute', u.bio, u.visibility, true, u.shows_ratings
    FROM copies c CROSS JOIN users u;
INSERT INTO lists (user_id, version, updated_at, audience)
    SELECT pg_temp.copied(l.user_id, c.n), l.version, l.updated_at - c.n * interval '1 minute',
           l.audience
    FROM copies c CROSS JOIN lists l;
INSERT INTO entries (id, user_id, position, game_id, platform_id, comment, created_at, updated_at,
                     audience, rating, tags, agreed)
    SELECT pg_temp.copied(e.id, c.n), pg_temp.copied(e.user_id, c.n), e.position,
           coalesce(g.id, e.game_id), e.platform_id, e.comment,
           e.created_at - c.n * interval '1 minute', e.updated_at - c.n * interval '1 minute',
           e.audience, e.rating, e.tags, e.agreed
    FROM copies c CROSS JOIN entries e
    LEFT JOIN copied_games g ON (g.first, g.original) = (c.games_from, e.game_id);
INSERT INTO snapshots (id, user_id, slug, title, taken_at, place, year, size, shows_ratings)
    SELECT pg_temp.copied(k.id, c.n), pg_temp.copied(k.user_id, c.n), k.slug, k.title, k.taken_at,
           k.place, k.year, k.size, k.shows_ratings
    FROM copies c CROSS JOIN snapshots k;
INSERT INTO snapshot_entries (snapshot_id, position, entry_id, game_id, platform_id, comment, rating, tags)
    SELECT pg_temp.copied(k.snapshot_id, c.n), k.position, pg_temp.copied(k.entry_id, c.n),
           coalesce(g.id, k.game_id), k.platform_id, k.comment, k.rating, k.tags
    FROM copies c CROSS JOIN snapshot_entries k
    LEFT JOIN copied_games g ON (g.first, g.original) = (c.games_from, k.game_id);
INSERT INTO follows (follower_id, followed_id, followed_at)
    SELECT pg_temp.copied(f.follower_id, c.n), pg_temp.copied(f.followed_id, c.n), f.followed_at
    FROM copies c CROSS JOIN follows f
    UNION ALL
    SELECT pg_temp.copied(f.follower_id, c.n), f.followed_id, f.followed_at
    FROM copies c CROSS JOIN follows f WHERE c.games_from IS NULL;
INSERT INTO hearts (entry_id, user_id, given_at)
    SELECT pg_temp.copied(h.entry_id, c.n), pg_temp.copied(h.user_id, c.n), h.given_at
    FROM copies c CROSS JOIN hearts h;
INSERT INTO heart_counts (entry_id, count)
    SELECT pg_temp.copied(h.entry_id, c.n), h.count FROM copies c CROSS JOIN heart_counts h;
INSERT INTO circles (id, slug, name, description, visibility, created_at)
    SELECT pg_temp.copied(o.id, c.n), left(o.slug, 50) || '-' || c.n, o.name, o.description, o.visibility, o.created_at
    FROM copies c CROSS JOIN circles o;
INSERT INTO circle_members (circle_id, user_id, seat, place, owned, joined_at)
    SELECT pg_temp.copied(m.circle_id, c.n), pg_temp.copied(m.user_id, c.n), m.seat, m.place, m.owned,
           m.joined_at
    FROM copies c CROSS JOIN circle_members m;
-- Of a hundred comments one is reported, and half of the reports are dismissed.
INSERT INTO cases (kind, user_id, entry_id, reported)
    SELECT 'entry', user_id, id, comment FROM entries WHERE comment <> '' AND uuid_hash(id) % 100 = 0;
INSERT INTO reports (case_id, reporter, reason) SELECT id, 'someone', 'spam' FROM cases;
INSERT INTO moderation_actions (action, user_id, entry_id, case_id)
    SELECT 'dismiss', user_id, entry_id, id FROM cases WHERE id % 2 = 0;
UPDATE cases SET closed_at = now() WHERE id % 2 = 0;
TRUNCATE included_by;
INSERT INTO included_by (platform_id, game_id, sort_name, count)
    SELECT e.platform_id, e.game_id, g.sort_name, count(*)
    FROM entries e JOIN games g ON g.id = e.game_id WHERE e.audience <> 'hidden'
    GROUP BY e.platform_id, e.game_id, g.sort_name;
SELECT coming FROM dropped \gexec
