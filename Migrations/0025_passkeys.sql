-- People can sign in with passkeys (WebAuthn).
-- oldest-server: 12
CREATE TABLE passkeys (
    id            uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id       uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    credential_id bytea       NOT NULL CONSTRAINT passkeys_credential_key UNIQUE
        CHECK (octet_length(credential_id) BETWEEN 16 AND 1023),
    -- A COSE_Key, RFC 9052 section 7.
    public_key    bytea       NOT NULL CHECK (octet_length(public_key) <= 2048),
    -- How often the authenticator has signed, as it says; 0 if it doesn't count.
    counter       bigint      NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
    name          text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
    created_at    timestamptz NOT NULL DEFAULT now(),
    used_at       timestamptz
);

CREATE INDEX passkeys_user ON passkeys (user_id, created_at);

-- Digests of challenges that were answered, so that no answer is good twice.
CREATE TABLE used_challenges (
    digest     bytea       PRIMARY KEY CHECK (octet_length(digest) = 32),
    expires_at timestamptz NOT NULL
);

CREATE INDEX used_challenges_expiry ON used_challenges (expires_at);
