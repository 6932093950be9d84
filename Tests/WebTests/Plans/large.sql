-- Thousands of everything that grows with the people who are there, for four thousand people with lists.
-- The triggers are off: what they derive is not asked for, or is made here.
INSERT INTO games (id, name, release_year)
SELECT 1000000 + n, 'Game ' || left(md5(n::text), 4) || ' ' || n, 1990 + n % 30
FROM generate_series(1, 4000) n;
INSERT INTO game_names (game_id, name)
SELECT 1000000 + n, chr(19968 + n % 5000) || chr(19968 + n % 4999) || chr(19968 + n % 97) || n
FROM generate_series(1, 4000) n;
INSERT INTO game_platforms SELECT 1000000 + n, 48 FROM generate_series(1, 4000) n;

SET session_replication_role = replica;
CREATE TEMP TABLE people AS
SELECT id, username, row_number() OVER (ORDER BY id) - 1 AS n, sha256(id::text::bytea) AS digest
FROM users;
CREATE INDEX ON people (n);
ANALYZE people;

INSERT INTO passwords (user_id, hash) SELECT id, '$scrypt$x' FROM people;
INSERT INTO identities (issuer, subject, user_id) SELECT 'https://id.example', n, id FROM people;
INSERT INTO passkeys (user_id, credential_id, public_key, counter, name)
SELECT id, digest, 'key', 0, 'Phone' FROM people;
INSERT INTO known_devices (user_id, token_hash) SELECT id, digest FROM people;
INSERT INTO recovery_codes (user_id, hash) SELECT id, digest FROM people;
INSERT INTO mail_addresses (user_id, address, canonical)
SELECT id, n || '@mail.example', n || '@mail.example' FROM people;
INSERT INTO mail_verifications (user_id, address, canonical, expires_at)
SELECT id, n || '@post.example', n || '@post.example', now() + interval '1 day' FROM people;
INSERT INTO personal_tokens (user_id, token_hash, name, scopes)
SELECT id, digest, 'Sheet', '{read}' FROM people;
INSERT INTO apps (user_id, name, address, redirects)
SELECT id, 'App', 'https://app.example', '{https://app.example/in}' FROM people;
INSERT INTO password_resets (token_hash, user_id, expires_at)
SELECT digest, id, now() + interval '1 hour' FROM people;
INSERT INTO sessions (user_id, kind, token_hash, expires_at)
SELECT id, 'browser', digest, now() + interval '1 day' FROM people;
INSERT INTO sessions (user_id, kind, token_hash, family_hash, expires_at)
SELECT id, 'api', sha256(digest), sha256(digest), now() + interval '1 day' FROM people;
INSERT INTO former_usernames (username, user_id) SELECT 'former-' || n, id FROM people;
INSERT INTO retired_usernames (digest) SELECT digest FROM people;
INSERT INTO retired_identities (digest) SELECT digest FROM people;
INSERT INTO invitations (user_id, token_hash, uses, uses_left, expires_at)
SELECT id, digest, 5, 5, now() + interval '1 day' FROM people;
INSERT INTO news_visits (user_id, since, seen_at) SELECT id, now(), now() FROM people;
INSERT INTO drafts (token_hash, form) SELECT digest, '' FROM people;
INSERT INTO used_challenges (digest, expires_at) SELECT digest, now() + interval '1 hour' FROM people;
INSERT INTO attempts (key, empty_at) SELECT n, now() + interval '1 hour' FROM people;
INSERT INTO game_searches (text, game_ids) SELECT 'text ' || n, '{71}' FROM people;
INSERT INTO idempotency_records (key_hash, fingerprint, user_id, response)
SELECT digest, digest, id, '' FROM people;

INSERT INTO follows (follower_id, followed_id)
SELECT a.id, b.id FROM people a JOIN people b ON b.n BETWEEN a.n + 1 AND a.n + 10;
INSERT INTO follow_feeds (user_id, token_hash) SELECT id, digest FROM people;
INSERT INTO blocks (blocker_id, blocked_id)
SELECT a.id, b.id FROM people a JOIN people b ON b.n = a.n + 20;
INSERT INTO hearts (entry_id, user_id)
SELECT e.id, f.followed_id FROM entries e JOIN follows f ON f.follower_id = e.user_id
WHERE e.position <= 2 AND left(e.user_id::text, 1) < '4';
INSERT INTO heart_counts (entry_id, count) SELECT entry_id, count(*) FROM hearts GROUP BY entry_id;
UPDATE entries SET agreed = 10 WHERE position = 1 AND left(user_id::text, 1) = '0';

INSERT INTO circles (slug, name, visibility)
SELECT 'circle-' || n, 'Circle', 'public' FROM people;
INSERT INTO circle_members (circle_id, user_id, seat, place, owned)
SELECT c.id, p.id, 1 + m, 1 + m, CASE WHEN m = 0 THEN 1 END
FROM people p CROSS JOIN generate_series(0, 2) m
JOIN circles c ON c.slug = 'circle-' || (p.n + m) % (SELECT count(*) FROM people);
INSERT INTO circle_invitations (circle_id, token_hash, uses, uses_left, expires_at)
SELECT id, sha256(slug::bytea), 5, 5, now() + interval '1 day' FROM circles;
INSERT INTO circle_webhooks (circle_id, owner_id, address, secret)
SELECT c.id, m.user_id, 'https://hooks.example/x', sha256(c.slug::bytea)
FROM circles c JOIN circle_members m ON m.circle_id = c.id AND m.owned = 1;

INSERT INTO cases (kind, user_id, closed_at) SELECT 'list', id, now() FROM people;
INSERT INTO reports (case_id, reporter, reporter_id, reason)
SELECT c.id, 'someone', c.user_id, 'spam' FROM cases c;
INSERT INTO moderation_actions (action, user_id, case_id, reason, done_at)
SELECT 'hide_list', user_id, id, 'Spam.', now() - interval '1 year' FROM cases;
INSERT INTO hidden_comments (action_id, entry_id, game_id, comment)
SELECT a.id, e.id, e.game_id, 'Rude.'
FROM moderation_actions a JOIN entries e ON e.user_id = a.user_id AND e.position = 1;
INSERT INTO hidden_circles (action_id, circle_id, slug, name, description)
SELECT a.id, c.id, c.slug, 'Rude', '' FROM circles c
JOIN circle_members m ON m.circle_id = c.id AND m.owned = 1
JOIN moderation_actions a ON a.user_id = m.user_id;
INSERT INTO imports (user_id, file_name, state, row_count, done_count)
SELECT id, 'games.csv', 'done', 1, 1 FROM people;
INSERT INTO import_rows
    (import_id, place, line, name, named_platforms, platform_ids, score, comment, tags, shelf, dated,
     finding, game_id, platform_id)
SELECT id, 1, 2, 'Portal', '', '{}', '', '', '', '', '', 'found', 71, 6 FROM imports;
INSERT INTO past_ranks (platform_id, taken_on, game_id, rank)
SELECT i.platform_id, current_date - 10 - d, i.game_id, 1
FROM included_by i, generate_series(1, 2) d;
SET session_replication_role = origin;
