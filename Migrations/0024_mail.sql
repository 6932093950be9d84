-- People can add an address of mail, and set a forgotten password by a link that is sent there.
-- oldest-server: 12
-- Addresses that their owners have confirmed. Several accounts can have the same one.
CREATE TABLE mail_addresses (
    user_id     uuid        PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    address     text        NOT NULL CHECK (octet_length(address) BETWEEN 3 AND 254),
    -- In small letters, to look it up.
    canonical   text        NOT NULL,
    verified_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX mail_addresses_canonical ON mail_addresses (canonical);

-- Addresses that wait for it: one for each user.
CREATE TABLE mail_verifications (
    user_id    uuid        PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    address    text        NOT NULL CHECK (octet_length(address) BETWEEN 3 AND 254),
    canonical  text        NOT NULL,
    -- NULL until the link is sent.
    token_hash bytea       UNIQUE CHECK (octet_length(token_hash) = 32),
    expires_at timestamptz NOT NULL
);

CREATE INDEX mail_verifications_expiry ON mail_verifications (expires_at);

-- Mail that is to be sent. A row says what to write, and not the text: whether an account has the
-- address is looked up when the row is worked on, and the links are made then.
CREATE TABLE outgoing_mail (
    id       uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    kind     text        NOT NULL CHECK (kind IN ('verify', 'reset', 'changed')),
    -- For verify and changed.
    user_id  uuid        REFERENCES users ON DELETE CASCADE,
    -- For reset: the username or address that someone typed. For changed: the address as it was.
    subject  text        NOT NULL DEFAULT '' CHECK (octet_length(subject) <= 254),
    attempts integer     NOT NULL DEFAULT 0,
    made_at  timestamptz NOT NULL DEFAULT now(),
    -- When it is tried next. A process that works on it moves this into the future first, so that
    -- another one takes over if it dies.
    due_at   timestamptz NOT NULL DEFAULT now(),
    CHECK ((kind = 'reset') = (user_id IS NULL))
);

CREATE INDEX outgoing_mail_due ON outgoing_mail (due_at);
CREATE INDEX outgoing_mail_user ON outgoing_mail (user_id) WHERE user_id IS NOT NULL;
