-- Tokens that people make for their own programs.
-- oldest-server: 12
CREATE TABLE personal_tokens (
    id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id    uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    -- SHA-256 of the token's secret part.
    token_hash bytea       NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    name       text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
    scopes     text[]      NOT NULL
        CHECK (scopes <> '{}' AND scopes <@ ARRAY['read', 'list:write', 'account']),
    created_at timestamptz NOT NULL DEFAULT now(),
    -- NULL for a token that is valid until it is revoked.
    expires_at timestamptz,
    -- NULL if it has not been used. Noted about every five minutes.
    used_at    timestamptz
);

CREATE INDEX personal_tokens_user ON personal_tokens (user_id, created_at);
CREATE INDEX personal_tokens_expiry ON personal_tokens (expires_at);
