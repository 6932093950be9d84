-- The server's own keys for signing tokens, made at first start and shared by all processes.

CREATE TABLE signing_keys (
    id          text        PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9_-]{8,64}$'),  -- the token's "kid"
    -- Ed25519, the 32 bytes of the seed in base64.
    private_key text        NOT NULL CHECK (private_key ~ '^[A-Za-z0-9+/]{43}=$'),
    created_at  timestamptz NOT NULL DEFAULT now()
);
