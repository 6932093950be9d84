-- Ways back in for people who have forgotten their password.
-- oldest-server: 12
CREATE TABLE recovery_codes (
    user_id uuid  NOT NULL REFERENCES users ON DELETE CASCADE,
    -- SHA-256 of the code, which is a secret of 80 bits, and of its owner's id.
    hash    bytea NOT NULL CHECK (octet_length(hash) = 32),
    PRIMARY KEY (user_id, hash)
);

-- Links with which the operator lets someone set a new password.
CREATE TABLE password_resets (
    token_hash bytea       PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    user_id    uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    expires_at timestamptz NOT NULL
);

CREATE INDEX password_resets_user ON password_resets (user_id);
CREATE INDEX password_resets_expiry ON password_resets (expires_at);

-- Whoever sets a password needs no link any more, and a link that lies around must be worth nothing.
-- A hash that is renewed with other costs is of the same password, and leaves `changed_at` as it is.
CREATE FUNCTION forget_resets() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM password_resets WHERE user_id = NEW.user_id;
    RETURN NULL;
END $$;

CREATE TRIGGER forget_resets AFTER INSERT OR UPDATE OF changed_at ON passwords
    FOR EACH ROW EXECUTE FUNCTION forget_resets();
