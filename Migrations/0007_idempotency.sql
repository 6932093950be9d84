-- What requests with an Idempotency-Key were answered, so that one that is sent again is not done
-- again. Kept for a day, and of each user the latest hundred.
CREATE TABLE kept_answers (
    -- Digests: neither a key nor a password that was sent with it is kept.
    key_hash    bytea       PRIMARY KEY CHECK (octet_length(key_hash) = 32),
    fingerprint bytea       NOT NULL CHECK (octet_length(fingerprint) = 32),
    user_id     uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    location    text,
    body        text        NOT NULL CHECK (octet_length(body) <= 65536),
    made_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX kept_answers_user ON kept_answers (user_id, made_at DESC);
CREATE INDEX kept_answers_age ON kept_answers (made_at);
