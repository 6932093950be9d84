-- Browsers in which someone has signed in before. Wrong passwords from elsewhere don't count against them.
-- oldest-server: 12
CREATE TABLE known_devices (
    user_id    uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    -- SHA-256 of a secret that only the browser has.
    token_hash bytea       NOT NULL CHECK (octet_length(token_hash) = 32),
    seen_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, token_hash)
);

CREATE INDEX known_devices_seen ON known_devices (seen_at);
