-- The site whose pages are recorded: the same ids and times in every run. Counts are as they would be
-- if thousands more people were here.

INSERT INTO platforms (id, slug, name, abbreviation) VALUES
    (6, 'win', 'PC (Microsoft Windows)', 'PC'), (48, 'ps4--1', 'PlayStation 4', 'PS4'),
    (900, 'odd', 'Bits & <Bobs>', NULL), (901, 'old', 'Old', NULL), (902, 'bare', 'Bare', NULL);

INSERT INTO games (id, name, release_year, cover_image_id) VALUES
    (71, 'Portal', 2007, 'co1x7d'), (117, 'The Last Guardian', 2016, NULL),
    (120, 'Diablo III', 2012, 'co1r0o'), (300, 'シェンムー 一章 横須賀', 1999, NULL),
    (301, 'R&D "<Tag>" ''n'' Co', NULL, NULL), (302, 'Nowhere', NULL, NULL),
    (303, 'Ranked', 1990, NULL), (304, 'Ranked, Too', 1991, NULL), (305, 'Unloved', 2001, NULL);
-- So many that those below them aren't counted.
INSERT INTO games (id, name) SELECT 2000 + n, 'Old ' || n FROM generate_series(1, 1001) n;

INSERT INTO game_platforms (platform_id, game_id) VALUES
    (6, 71), (6, 120), (48, 117), (48, 120), (48, 300), (48, 301), (48, 303), (48, 304), (48, 305),
    (900, 71), (900, 120), (900, 300), (900, 301), (901, 120);
INSERT INTO game_platforms (platform_id, game_id) SELECT 901, id FROM games WHERE id > 2000;

INSERT INTO users (id, username, display_name, bio, shows_ratings, role, created_at) VALUES
    ('00000000-0000-4000-8000-000000000001', 'rob', 'Rob <the "Great"> & Co', 'Plays "games" & <more>.',
     true, 'user', '2024-01-01'),
    ('00000000-0000-4000-8000-000000000002', 'ada', 'Ada', '', false, 'user', '2024-01-02'),
    ('00000000-0000-4000-8000-000000000003', 'noa', 'נועה לוי', '', false, 'user', '2024-01-03'),
    ('00000000-0000-4000-8000-000000000004', 'ann', 'Ann', '', false, 'moderator', '2024-01-04'),
    ('00000000-0000-4000-8000-000000000005', 'bea', 'Bea "&" Bo', '', false, 'user', '2024-01-05');

INSERT INTO entries (id, user_id, position, game_id, platform_id, comment, rating, tags)
SELECT ('00000000-0000-4000-8000-000000000' || u.number || '0' || e.position)::uuid,
       ('00000000-0000-4000-8000-00000000000' || u.number)::uuid, e.position, e.game_id, e.platform_id,
       e.comment, e.rating, e.tags
FROM (VALUES
    ('rob', 1, 71, 6, E'The cake is a lie.\n\nStill.', 5, '{puzzle,"short & sweet"}'::text[]),
    ('rob', 2, 117, 48, '', NULL, '{}'), ('rob', 3, 300, 900, '船乗りを探しています。', NULL, '{}'),
    ('rob', 4, 301, 900, E'<script>alert(''1'')</script> "&amp;"\u0301', 2, '{}'),
    ('rob', 5, 120, 48, repeat('Stay awhile and listen. ', 12), NULL, '{}'),
    ('ada', 1, 120, 48, E'Because.\nReally & truly.', 4, '{story}'), ('ada', 2, 71, 6, '', NULL, '{}'),
    ('noa', 1, 117, 48, 'המשחק הכי יפה ששיחקתי בו. Trico!', NULL, '{}'),
    ('noa', 2, 71, 6, 'لعبة رائعة جدًا', NULL, '{}')
) e (username, position, game_id, platform_id, comment, rating, tags)
JOIN (VALUES ('rob', 1), ('ada', 2), ('noa', 3)) u (username, number) USING (username)
ORDER BY u.number, e.position;

INSERT INTO snapshots (id, user_id, slug, title, taken_at, place, size, shows_ratings) VALUES
    ('00000000-0000-4000-8000-000000000a01', '00000000-0000-4000-8000-000000000001', '2023-1',
     '<b>Then</b>', '2023-12-31', 1, 3, true),
    ('00000000-0000-4000-8000-000000000a02', '00000000-0000-4000-8000-000000000001', '2024-1',
     '"Now" & <i>here</i>', '2024-06-30', 2, 3, true);

INSERT INTO circles (id, slug, name, description, visibility, created_at) VALUES
    ('00000000-0000-4000-8000-000000000c01', 'club-co', 'Club & <Co>', 'We "play".', 'public', '2024-05-01');

INSERT INTO imports (id, user_id, file_name, state, row_count, done_count, suggested_count, made_at,
                     worked_at) VALUES
    ('00000000-0000-4000-8000-000000000d01', '00000000-0000-4000-8000-000000000001',
     'my <games>.csv', 'done', 1200, 1200, 240, '2100-01-01', '2100-01-01'),
    ('00000000-0000-4000-8000-000000000d02', '00000000-0000-4000-8000-000000000002', '', 'running',
     1200, 250, 240, '2100-01-01', '2100-01-01');
INSERT INTO import_rows (import_id, place, line, name, named_platforms, platform_ids, score, comment,
                         tags, shelf, dated, finding, game_id, platform_id, candidates)
SELECT '00000000-0000-4000-8000-000000000d01', place, place + 1, name, platforms, '{}', score, comment,
       '', '', '', finding, game, platform, candidates
FROM (VALUES
    (1, 'portal', '', '5', E'The cake\nis a lie & "more".', 'found', 71, 6, 1),
    (2, 'Odd', '<Amiga>', '', '', 'unknown_platform', 301, NULL, 1),
    (3, 'Ranked', '', '', '', 'several_games', 303, NULL, 3),
    (4, '<b>Nothing</b>', '', '', '', 'no_game', NULL, NULL, 0),
    (5, '', '', '', '', 'no_name', NULL, NULL, 0),
    (6, 'Portal', '', '', '', 'duplicate', 71, NULL, 1)
) r (place, name, platforms, score, comment, finding, game, platform, candidates);

-- What no trigger would let through, or what it would make of it.
SET session_replication_role = replica;

UPDATE entries SET created_at = '2024-06-01'::timestamptz + o.n * interval '1 hour',
                   updated_at = '2024-07-01 12:00+00'
FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM entries) o WHERE o.id = entries.id;
UPDATE lists SET version = 1, updated_at = '2024-07-01 12:00+00'::timestamptz - o.n * interval '1 day'
FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM users WHERE username <> 'ann') o
WHERE o.id = lists.user_id;

DELETE FROM included_by;
INSERT INTO included_by (platform_id, game_id, sort_name, count)
SELECT c.platform_id, c.game_id, g.sort_name, c.count
FROM (VALUES (6, 71, 1235), (6, 120, 1), (48, 120, 12345), (48, 117, 999), (48, 300, 999),
             (48, 301, 3), (48, 303, 2), (48, 304, 1), (900, 300, 1), (900, 301, 12), (901, 120, 2)
     ) c (platform_id, game_id, count)
JOIN games g ON g.id = c.game_id
UNION ALL
SELECT 901, id, sort_name, 5 FROM games WHERE id > 2000;
INSERT INTO past_ranks (platform_id, taken_on, game_id, rank)
VALUES (48, '2024-01-01', 120, 3), (48, '2024-01-01', 117, 1), (48, '2024-01-01', 301, 4),
       (6, '2024-01-01', 71, 3);

INSERT INTO snapshot_entries (snapshot_id, position, entry_id, game_id, platform_id, comment, rating, tags)
SELECT ('00000000-0000-4000-8000-000000000a0' || kept)::uuid, position, gen_random_uuid(), game, platform,
       comment, rating, tags
FROM (VALUES
    (1, 1, 300, 900, '', NULL, '{}'::text[]), (1, 2, 71, 6, '', NULL, '{}'),
    (1, 3, 120, 48, '', NULL, '{}'),
    (2, 1, 71, 6, E'The cake is a lie.\n\nStill.', 5, '{puzzle}'), (2, 2, 300, 900, '', NULL, '{}'),
    (2, 3, 301, 900, '<script>alert(''1'')</script>', NULL, '{}')
) k (kept, position, game, platform, comment, rating, tags);

INSERT INTO hearts (entry_id, user_id, given_at) VALUES
    ('00000000-0000-4000-8000-000000000101', '00000000-0000-4000-8000-000000000002', '2024-07-02'),
    ('00000000-0000-4000-8000-000000000101', '00000000-0000-4000-8000-000000000003', '2100-01-01');
-- Nothing is news for longer than a month, so what is new here is in the future.
INSERT INTO news_visits (user_id, since, seen_at)
SELECT id, '2099-12-30', '2099-12-31' FROM users WHERE username IN ('rob', 'ann');
INSERT INTO heart_counts (entry_id, count) VALUES
    ('00000000-0000-4000-8000-000000000101', 1), ('00000000-0000-4000-8000-000000000104', 1200),
    ('00000000-0000-4000-8000-000000000201', 2);
INSERT INTO follows (follower_id, followed_id, followed_at) VALUES
    ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000001', '2024-07-03'),
    ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000003', '2024-07-02');
INSERT INTO blocks (blocker_id, blocked_id, blocked_at) VALUES
    ('00000000-0000-4000-8000-000000000004', '00000000-0000-4000-8000-000000000005', '2024-07-04');

INSERT INTO circle_members (id, circle_id, user_id, seat, place, owned, joined_at) VALUES
    ('00000000-0000-4000-8000-000000000e01', '00000000-0000-4000-8000-000000000c01',
     '00000000-0000-4000-8000-000000000001', 1, 1, 1, '2024-05-01'),
    ('00000000-0000-4000-8000-000000000e02', '00000000-0000-4000-8000-000000000c01',
     '00000000-0000-4000-8000-000000000002', 2, 1, NULL, '2024-05-02');
INSERT INTO circle_invitations (id, circle_id, token_hash, uses, uses_left, created_at, expires_at)
VALUES ('00000000-0000-4000-8000-000000000f01', '00000000-0000-4000-8000-000000000c01',
        sha256(decode(repeat('00', 32), 'hex')), 20, 19, '2024-05-01', '2100-01-01');

-- Their tokens are a letter, 42 times, and an A. One that is to be used in the future isn't touched.
INSERT INTO follow_feeds (user_id, token_hash)
VALUES ('00000000-0000-4000-8000-000000000001', sha256(decode(repeat('00', 32), 'hex')));

INSERT INTO sessions (id, user_id, kind, token_hash, created_at, seen_at, expires_at, device, network)
SELECT ('00000000-0000-4000-8000-000000000b0' || n)::uuid,
       ('00000000-0000-4000-8000-00000000000' || who)::uuid, 'browser',
       sha256(decode(replace(repeat(letter, 42) || 'A', '-', '+') || '=', 'base64')), '2024-07-01', seen,
       '2100-01-01', device, network::cidr
FROM (VALUES (1, 1, 'R', '2099-12-31'::timestamptz, 'Firefox on Linux', '192.0.2.0/24'),
             (2, 2, 'a', '2099-12-31', NULL, NULL), (3, 4, 'n', '2099-12-31', NULL, NULL),
             (4, 1, 'S', '2024-07-02', '<Safari> on iPhone', '2001:db8::/48')
     ) s (n, who, letter, seen, device, network);
INSERT INTO passwords (user_id, hash) VALUES ('00000000-0000-4000-8000-000000000001', '$scrypt$x');

SET session_replication_role = origin;
ANALYZE
