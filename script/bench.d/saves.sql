-- Saves a list as the API does, for pgbench.
\set list :client_id * 4 + random(1, 4)
\set place random(1, 5)
\set other random(1, 1000)
SELECT save_list(l.owner, NULL, array_agg(
           (e.id, w.platform, w.game, '', NULL, '{}')::wanted_entry ORDER BY w.place))
FROM bench_lists l
JOIN bench_pool o ON o.n = :other
CROSS JOIN LATERAL (
    SELECT place, CASE WHEN place = :place THEN o.platform_id ELSE platform END AS platform,
           CASE WHEN place = :place THEN o.game_id ELSE game END AS game
    FROM unnest(l.platforms, l.games) WITH ORDINALITY AS p (platform, game, place)
) w
LEFT JOIN entries e ON (e.user_id, e.game_id, e.platform_id) = (l.owner, w.game, w.platform)
WHERE l.n = :list
GROUP BY l.owner
