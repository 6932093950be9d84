-- Lists that people begin before they sign up. A draft waits here while they do, whichever way they sign
-- up or in, and is deleted after a day.
-- oldest-server: 12
CREATE TABLE drafts (
    -- The digest of a secret that only the browser has.
    token_hash bytea       PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    -- As the form of the editing page sends it.
    form       text        NOT NULL CHECK (octet_length(form) <= 131072),
    made_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX drafts_age ON drafts (made_at);
