-- A game's platforms are shown with the most important first, which are taken to be those with the most
-- games.
-- oldest-server: 12
-- step: A rank for each platform
ALTER TABLE platforms
    ADD COLUMN size_rank integer;  -- 1 for the one with the most games; NULL until they are counted

-- Changes few rows as a rule, so that little that is kept in memory has to be made anew.
CREATE FUNCTION rank_platforms() RETURNS void
    LANGUAGE sql AS $$
    UPDATE platforms p SET size_rank = s.rank
    FROM (SELECT q.id, row_number() OVER (ORDER BY count(g.platform_id) DESC, q.id) AS rank
          FROM platforms q LEFT JOIN game_platforms g ON g.platform_id = q.id
          GROUP BY q.id) s
    WHERE p.id = s.id AND p.size_rank IS DISTINCT FROM s.rank
$$;
-- step: Count the games
SELECT rank_platforms();
