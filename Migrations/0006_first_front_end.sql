-- How the first front end names users: a digest of the id, which never changes. The program's
-- UserDigest says the same.
CREATE FUNCTION user_digest(uuid) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN encode(sha256(('fave-games user ' || $1::text)::bytea), 'hex');

CREATE UNIQUE INDEX users_digest ON users (user_digest(id));
