-- People: their accounts, the ways to sign in, and the ways to get back in. Secrets are stored as
-- digests only, except for the keys that sign access tokens.
--
-- Passwords, identities, passkeys, sessions, tokens, recovery codes and addresses of mail are ways in.
-- Before the program writes one, it locks the user and then checks that the reason for allowing it
-- still holds. When someone gets back in, the program locks the user, too, and removes all other ways
-- in, so that no one else stays signed in.
--
-- The rules held here:
--   * no two usernames are equal, or look alike             users_username_key, users_lookalike_key
--   * a former username leads to its user until someone
--     takes it; ten are stored                              username_changed()
--   * no one else takes one for 90 days, and no one at all
--     that of a deleted account                             users_username_reserved, retire_usernames()
--   * an identity belongs to one user                       identities_pkey
--   * a new password makes links to set one worthless       forget_resets()
--   * a list that moderators hide is private                users_hidden_check

-- Users ------------------------------------------------------------------------------------------

CREATE TABLE users (
    id                 uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    username           text        NOT NULL CHECK (username ~ '^[a-z0-9_-]{2,30}$'),
    display_name       text        NOT NULL
                                   CHECK (display_name <> '' AND char_length(display_name) <= 80),
    bio                text        NOT NULL DEFAULT ''
                                   CONSTRAINT users_bio_check CHECK (char_length(bio) <= 300),
    created_at         timestamptz NOT NULL DEFAULT now(),
    may_look_alike     boolean     NOT NULL DEFAULT false,
    role               text        NOT NULL DEFAULT 'user'
                                   CONSTRAINT users_role_check
                                   CHECK (role IN ('user', 'moderator', 'admin')),
    visibility         text        NOT NULL DEFAULT 'public'
                                   CONSTRAINT users_visibility_check
                                   CHECK (visibility IN ('public', 'unlisted', 'private')),
    hidden_visibility  text        CONSTRAINT users_hidden_visibility_check
                                   CHECK (hidden_visibility IN ('public', 'unlisted', 'private')),
    disabled_at        timestamptz,
    disabled_until     timestamptz,
    new_until          timestamptz,
    shows_ratings      boolean     NOT NULL DEFAULT false,
    next_snapshot_year smallint,
    language           text        CONSTRAINT users_language_check
                                   CHECK (language ~ '^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8}){0,3}$'),
    CONSTRAINT users_hidden_check CHECK (hidden_visibility IS NULL OR visibility = 'private'),
    CONSTRAINT users_disabled_until_check CHECK (disabled_until IS NULL OR disabled_at IS NOT NULL)
);

COMMENT ON TABLE users IS 'Everyone who has an account';
COMMENT ON COLUMN users.username IS 'The handle in addresses';
COMMENT ON COLUMN users.may_look_alike IS
    'Whether the username may look like another one; for users who are loaded in bulk';
COMMENT ON COLUMN users.visibility IS 'Who sees the list, as its owner wishes';
COMMENT ON COLUMN users.hidden_visibility IS
    'What the visibility was when a moderator hid the list, and will be again; NULL if none did';
COMMENT ON COLUMN users.disabled_at IS
    'When the account was disabled: nobody signs in, and the list is hidden. NULL if it is not '
    'disabled';
COMMENT ON COLUMN users.disabled_until IS
    'When a suspension ends; NULL if the account is not disabled, or for good';
COMMENT ON COLUMN users.new_until IS
    'Until when the list of a new account is shown like an unlisted one; NULL if it is not';
COMMENT ON COLUMN users.shows_ratings IS 'Whether others see the ratings';
COMMENT ON COLUMN users.next_snapshot_year IS
    'The year of which a snapshot is taken next, on December 31st; NULL for those who have not '
    'chosen that';
COMMENT ON COLUMN users.language IS
    'The tag of the language of pages (RFC 5646), also one that the site no longer has; NULL for what '
    'the browser asks for';

CREATE UNIQUE INDEX users_username_key ON users (username);
CREATE UNIQUE INDEX users_lookalike_key ON users (lookalike(username)) WHERE NOT may_look_alike;
-- People are searched for by the beginning of the username, or by any part of the names.
CREATE INDEX users_public ON users (username text_pattern_ops)
    WHERE visibility = 'public' AND disabled_at IS NULL;
CREATE INDEX users_search ON users USING gin (fold(username || ' ' || display_name) gin_trgm_ops);
CREATE INDEX users_roles ON users (role) WHERE role <> 'user';
CREATE INDEX users_new ON users (new_until) WHERE new_until IS NOT NULL;
CREATE INDEX users_suspended ON users (disabled_until) WHERE disabled_until IS NOT NULL;
CREATE INDEX users_next_snapshot ON users (next_snapshot_year, id)
    WHERE next_snapshot_year IS NOT NULL;

-- How the first front end names users: a digest of the id, which never changes. The program's
-- UserDigest says the same.
CREATE FUNCTION user_digest(uuid) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN encode(sha256(('fave-games user ' || $1::text)::bytea), 'hex');

CREATE UNIQUE INDEX users_digest ON users (user_digest(id));

CREATE TABLE former_usernames (
    username text        PRIMARY KEY,
    user_id  uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    left_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

COMMENT ON TABLE former_usernames IS 'Usernames that users had before and that still lead to them';

CREATE INDEX former_usernames_user ON former_usernames (user_id, left_at DESC);
CREATE INDEX former_usernames_lookalike ON former_usernames (lookalike(username));

CREATE TABLE retired_usernames (
    digest     bytea       PRIMARY KEY CHECK (octet_length(digest) = 32),
    retired_at timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE retired_usernames IS
    'Usernames of deleted accounts, and those that someone left before ten others: links with them must '
    'not lead to whoever takes them next. Kept for 90 days';
COMMENT ON COLUMN retired_usernames.digest IS 'username_digest()';

CREATE INDEX retired_usernames_age ON retired_usernames (retired_at);

-- Signing in -------------------------------------------------------------------------------------

CREATE TABLE identities (
    issuer    text        NOT NULL CHECK (char_length(issuer) <= 255),
    subject   text        NOT NULL CHECK (subject <> '' AND char_length(subject) <= 255),
    user_id   uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    id        uuid        NOT NULL DEFAULT gen_random_uuid() CONSTRAINT identities_id_key UNIQUE,
    linked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer, subject)
);

COMMENT ON TABLE identities IS 'Who a user is to an issuer of tokens, such as an OpenID provider';

CREATE INDEX identities_user ON identities (user_id);

CREATE TABLE retired_identities (
    digest     bytea       PRIMARY KEY,
    retired_at timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE retired_identities IS
    'Identities that were given up, with their users or without: an access token from before must '
    'not make a new user. Kept for as long as such tokens may be valid';
COMMENT ON COLUMN retired_identities.digest IS 'identity_digest()';

CREATE INDEX retired_identities_age ON retired_identities (retired_at);

CREATE TABLE passwords (
    user_id    uuid        PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    hash       text        NOT NULL CHECK (hash ~ '^\$scrypt\$'),
    changed_at timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE passwords IS 'The password of each user who has one';
COMMENT ON COLUMN passwords.hash IS 'With its costs and salt';
COMMENT ON COLUMN passwords.changed_at IS
    'A hash that is renewed with other costs is of the same password, and leaves this as it is';

CREATE TABLE passkeys (
    id            uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id       uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    credential_id bytea       NOT NULL CONSTRAINT passkeys_credential_key UNIQUE
                              CHECK (octet_length(credential_id) BETWEEN 16 AND 1023),
    public_key    bytea       NOT NULL CHECK (octet_length(public_key) <= 2048),
    counter       bigint      NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
    name          text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
    created_at    timestamptz NOT NULL DEFAULT now(),
    used_at       timestamptz
);

COMMENT ON TABLE passkeys IS 'Passkeys (WebAuthn) that people sign in with';
COMMENT ON COLUMN passkeys.public_key IS 'A COSE_Key, RFC 9052 section 7';
COMMENT ON COLUMN passkeys.counter IS
    'How often the authenticator has signed, as it says; 0 if it does not count';

CREATE INDEX passkeys_user ON passkeys (user_id, created_at);

CREATE TABLE used_challenges (
    digest     bytea       PRIMARY KEY CHECK (octet_length(digest) = 32),
    expires_at timestamptz NOT NULL
);

COMMENT ON TABLE used_challenges IS
    'Challenges that passkeys have responded, so that no response is good twice';

CREATE INDEX used_challenges_expiry ON used_challenges (expires_at);

CREATE TABLE apps (
    id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id    uuid        REFERENCES users ON DELETE CASCADE,
    name       text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
    address    text        NOT NULL CHECK (char_length(address) <= 300),
    redirects  text[]      NOT NULL CHECK (cardinality(redirects) BETWEEN 1 AND 5),
    created_at timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE apps IS
    'Programs of others that people can let use their account: clients of OAuth. They have no secret';
COMMENT ON COLUMN apps.user_id IS 'Who registered it; NULL for an operator with fave-admin';
COMMENT ON COLUMN apps.redirects IS 'Where people may be sent back to';

CREATE INDEX apps_user ON apps (user_id, created_at);

CREATE TABLE sessions (
    id           uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id      uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    kind         text        NOT NULL CHECK (kind IN ('browser', 'api')),
    token_hash   bytea       NOT NULL CONSTRAINT sessions_token_hash_key UNIQUE
                             CHECK (octet_length(token_hash) = 32),
    family_hash  bytea       CONSTRAINT sessions_family_hash_key UNIQUE
                             CHECK (octet_length(family_hash) = 32),
    created_at   timestamptz NOT NULL DEFAULT now(),
    seen_at      timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz NOT NULL,
    device       text        CHECK (char_length(device) BETWEEN 1 AND 80),
    network      cidr,
    app_id       uuid        REFERENCES apps ON DELETE CASCADE,
    scopes       text[]      CHECK (scopes <> '{}' AND
                                    scopes <@ ARRAY['read', 'list:write', 'account']),
    code_binding bytea       CHECK (octet_length(code_binding) = 32),
    CHECK ((kind = 'api') = (family_hash IS NOT NULL)),
    CHECK ((app_id IS NULL) = (scopes IS NULL)),
    CHECK (app_id IS NULL OR kind = 'api'),
    CHECK (code_binding IS NULL OR app_id IS NOT NULL)
);

COMMENT ON TABLE sessions IS
    'Where someone is signed in: a browser with a cookie, or a client of the API with tokens';
COMMENT ON COLUMN sessions.token_hash IS
    'SHA-256 of the cookie''s value, or of what is new in the refresh token that is valid now';
COMMENT ON COLUMN sessions.family_hash IS
    'SHA-256 of what all refresh tokens of the session have in common: someone who shows that '
    'without the rest shows an old one, and the session ends';
COMMENT ON COLUMN sessions.seen_at IS 'To about five minutes';
COMMENT ON COLUMN sessions.expires_at IS 'By idle or by absolute time, whichever comes first';
COMMENT ON COLUMN sessions.device IS
    'The browser and its system, or the program, as in "Firefox on Linux"; NULL if it did not say';
COMMENT ON COLUMN sessions.network IS
    'The network that the session was opened from, without its last part; NULL if it is not known';

COMMENT ON COLUMN sessions.app_id IS 'The app that the user gave the session; NULL for the user''s own';
COMMENT ON COLUMN sessions.scopes IS 'What the app may do';
COMMENT ON COLUMN sessions.code_binding IS
    'While the app has only the code: SHA-256 of what it must show with it. The code is a first refresh '
    'token, so whoever shows it again ends the session';

CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_app ON sessions (app_id) WHERE app_id IS NOT NULL;
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE personal_tokens (
    id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id    uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    token_hash bytea       NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    name       text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
    scopes     text[]      NOT NULL CHECK (scopes <> '{}' AND
                                           scopes <@ ARRAY['read', 'list:write', 'account']),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    used_at    timestamptz
);

COMMENT ON TABLE personal_tokens IS 'Tokens that people make for their own programs';
COMMENT ON COLUMN personal_tokens.token_hash IS 'SHA-256 of the token''s secret part';
COMMENT ON COLUMN personal_tokens.expires_at IS
    'NULL for a token that is valid until it is revoked';
COMMENT ON COLUMN personal_tokens.used_at IS 'To about five minutes; NULL if it has not been used';

CREATE INDEX personal_tokens_user ON personal_tokens (user_id, created_at);
CREATE INDEX personal_tokens_expiry ON personal_tokens (expires_at);

CREATE TABLE signing_keys (
    id          text        PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9_-]{8,64}$'),
    private_key text        NOT NULL CHECK (private_key ~ '^[A-Za-z0-9+/]{43}=$'),
    created_at  timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE signing_keys IS
    'The service''s own keys for signing access tokens and cursors, made at the first start and '
    'shared by all servers';
COMMENT ON COLUMN signing_keys.id IS 'The token''s "kid"';
COMMENT ON COLUMN signing_keys.private_key IS
    'Ed25519: the 32 bytes of the seed in base64. A secret';

CREATE TABLE known_devices (
    user_id    uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    token_hash bytea       NOT NULL CHECK (octet_length(token_hash) = 32),
    seen_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, token_hash)
);

COMMENT ON TABLE known_devices IS
    'Browsers in which someone has signed in before: wrong passwords from elsewhere do not count '
    'against them';
COMMENT ON COLUMN known_devices.token_hash IS 'SHA-256 of a secret that only the browser has';

CREATE INDEX known_devices_seen ON known_devices (seen_at);

CREATE UNLOGGED TABLE attempts (
    key      text        PRIMARY KEY,
    empty_at timestamptz NOT NULL
);

COMMENT ON TABLE attempts IS
    'How much someone has tried of late: a leaky bucket. Unlogged, so a crash forgives';
COMMENT ON COLUMN attempts.key IS
    'A digest of what is tried, and by whom, made with a key that is derived from signing_keys';

CREATE INDEX attempts_empty ON attempts (empty_at);

-- Signing up -------------------------------------------------------------------------------------

CREATE TABLE invitations (
    id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    token_hash bytea       NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    user_id    uuid        REFERENCES users ON DELETE CASCADE,
    uses_left  integer     NOT NULL CHECK (uses_left >= 0),
    uses       integer     NOT NULL CHECK (uses BETWEEN 1 AND 100),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

COMMENT ON TABLE invitations IS 'Links with which people sign up while SIGN_UP=invite';
COMMENT ON COLUMN invitations.user_id IS 'Who invites; NULL for an operator with fave-admin';

CREATE INDEX invitations_user ON invitations (user_id, created_at);
CREATE INDEX invitations_expiry ON invitations (expires_at);

CREATE TABLE administrator_links (
    token_hash bytea       PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    expires_at timestamptz NOT NULL
);

COMMENT ON TABLE administrator_links IS
    'Links that make the one who opens them the first administrator';

-- Getting back in --------------------------------------------------------------------------------

CREATE TABLE recovery_codes (
    user_id uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    hash    bytea       NOT NULL CHECK (octet_length(hash) = 32),
    made_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, hash)
);

COMMENT ON TABLE recovery_codes IS
    'Codes with which someone who has forgotten the password gets back in';
COMMENT ON COLUMN recovery_codes.hash IS
    'SHA-256 of the code, which is a secret of 80 bits, and of its owner''s id';

CREATE TABLE password_resets (
    token_hash bytea       PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    user_id    uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    by_mail    boolean     NOT NULL DEFAULT false,
    expires_at timestamptz NOT NULL
);

COMMENT ON TABLE password_resets IS 'Links with which someone sets a new password';
COMMENT ON COLUMN password_resets.by_mail IS
    'Whether it was sent to the address of the account, which then stays. One that an operator gave '
    'someone proves nothing about the address';

CREATE INDEX password_resets_user ON password_resets (user_id);
CREATE INDEX password_resets_expiry ON password_resets (expires_at);

-- Mail -------------------------------------------------------------------------------------------

CREATE TABLE mail_addresses (
    user_id       uuid        PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    address       text        NOT NULL CHECK (octet_length(address) BETWEEN 3 AND 254),
    canonical     text        NOT NULL,
    verified_at   timestamptz NOT NULL DEFAULT now(),
    reports_after timestamptz
);

COMMENT ON TABLE mail_addresses IS
    'Addresses that their owners have confirmed. Several accounts can have the same one';
COMMENT ON COLUMN mail_addresses.canonical IS 'In small letters, to look it up';

COMMENT ON COLUMN mail_addresses.reports_after IS
    'When a moderator may next be told of new reports; NULL for those who do not want that';

CREATE INDEX mail_addresses_canonical ON mail_addresses (canonical);
CREATE INDEX mail_addresses_reports ON mail_addresses (user_id) WHERE reports_after IS NOT NULL;

CREATE TABLE mail_verifications (
    user_id      uuid        PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    address      text        NOT NULL CHECK (octet_length(address) BETWEEN 3 AND 254),
    canonical    text        NOT NULL,
    token_hashes bytea[]     NOT NULL DEFAULT '{}',
    expires_at   timestamptz NOT NULL
);

COMMENT ON TABLE mail_verifications IS 'Addresses that wait to be confirmed: one for each user';
COMMENT ON COLUMN mail_verifications.token_hashes IS
    'SHA-256 of the links that were sent. Each attempt has its own, since a mail may have been '
    'accepted although the response was lost';

CREATE INDEX mail_verifications_tokens ON mail_verifications USING gin (token_hashes);
CREATE INDEX mail_verifications_expiry ON mail_verifications (expires_at);

CREATE TABLE outgoing_mail (
    id       uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    kind     text        NOT NULL CHECK (kind IN ('verify', 'reset', 'address', 'password', 'passkey-added',
                                                  'passkey-removed', 'identity-added',
                                                  'identity-removed', 'codes', 'token-added',
                                                  'token-removed', 'webhook', 'deleted', 'reports')),
    user_id  uuid        REFERENCES users ON DELETE CASCADE,
    subject  text        NOT NULL DEFAULT '' CHECK (octet_length(subject) <= 254),
    attempts integer     NOT NULL DEFAULT 0,
    made_at  timestamptz NOT NULL DEFAULT now(),
    due_at   timestamptz NOT NULL DEFAULT now(),
    CHECK ((kind IN ('reset', 'address', 'deleted')) = (user_id IS NULL))
);

COMMENT ON TABLE outgoing_mail IS
    'Mail that is to be sent. A row says what to write, and not the text: whether an account has '
    'the address is looked up when the row is worked on, and the links are made then';
COMMENT ON COLUMN outgoing_mail.kind IS
    'A link to confirm an address or to set a password; or what has changed: the address itself, a way '
    'to sign in, where the changes in a circle are sent, or that the account is gone; or, for a '
    'moderator, that there are new reports';
COMMENT ON COLUMN outgoing_mail.user_id IS
    'For all but reset, address and deleted, which have to be sent even if the account is deleted';
COMMENT ON COLUMN outgoing_mail.subject IS
    'For reset: the username or address that someone typed. For a change: the address as it was';
COMMENT ON COLUMN outgoing_mail.due_at IS
    'When it is tried next. A server that works on it moves this into the future first, so that '
    'another one takes over if it dies';

CREATE INDEX outgoing_mail_due ON outgoing_mail (due_at);
CREATE INDEX outgoing_mail_user ON outgoing_mail (user_id) WHERE user_id IS NOT NULL;

-- Functions --------------------------------------------------------------------------------------

-- Whether the session or personal token that a request came with is still there; NULL for a request with
-- neither. For after the user is locked: someone who gets back in has ended it, or comes later and
-- ends what the request makes.
CREATE FUNCTION is_still_in(person uuid, way uuid) RETURNS boolean
    LANGUAGE sql STABLE AS $$
    SELECT way IS NULL
        OR EXISTS (SELECT FROM public.sessions s WHERE s.id = way AND s.user_id = person)
        OR EXISTS (SELECT FROM public.personal_tokens t WHERE t.id = way AND t.user_id = person)
$$;

-- What names a username in retired_usernames, and those that look like it.
CREATE FUNCTION username_digest(username text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN sha256(convert_to(lookalike(username), 'UTF8'));

-- Whether a username can't be taken now, although no one has it: it is, or looks like, one that someone
-- else has left in the last 90 days, or one of a deleted account.
--
--   person   Who wants it; NULL for someone without an account.
CREATE FUNCTION is_username_reserved(name text, person uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    since CONSTANT timestamptz := now() - interval '90 days';
BEGIN
    RETURN EXISTS (SELECT FROM public.retired_usernames r
                   WHERE r.digest = public.username_digest(name) AND r.retired_at > since)
        OR EXISTS (SELECT FROM public.former_usernames f
                   WHERE public.lookalike(f.username) = public.lookalike(name)
                     AND f.left_at > since AND f.user_id IS DISTINCT FROM person);
END $$;

-- What names an identity in retired_identities.
CREATE FUNCTION identity_digest(issuer text, subject text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN sha256(convert_to(issuer || chr(10) || subject, 'UTF8'));

-- Triggers ---------------------------------------------------------------------------------------

-- A username that someone takes no longer leads to anyone else. One that someone leaves still leads
-- to them.
CREATE FUNCTION username_changed() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    reserved text;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        INSERT INTO public.former_usernames (username, user_id)
        SELECT b.username, b.id FROM before b JOIN changed c USING (id)
        WHERE b.username <> c.username
        ON CONFLICT (username) DO UPDATE SET left_at = excluded.left_at;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
    END IF;
    -- After someone who has had it until just now: the unique index has waited for them.
    SELECT c.username INTO reserved FROM changed c
    WHERE NOT c.may_look_alike AND public.is_username_reserved(c.username, c.id)
      AND (TG_OP = 'INSERT' OR EXISTS (SELECT FROM public.former_usernames f
                                       WHERE f.user_id = c.id AND f.left_at >= now()))
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the username % is reserved', reserved
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'users_username_reserved';
    END IF;
    DELETE FROM public.former_usernames WHERE username IN (SELECT username FROM changed);
    IF TG_OP = 'UPDATE' THEN
        WITH left_first AS (
            DELETE FROM public.former_usernames f
            USING (SELECT o.username, row_number() OVER (PARTITION BY o.user_id
                                                         ORDER BY o.left_at DESC, o.username) AS n
                   FROM public.former_usernames o WHERE o.user_id IN (SELECT id FROM changed)) kept
            WHERE kept.username = f.username AND kept.n > 10
            RETURNING f.username, f.left_at
        )
        INSERT INTO public.retired_usernames AS r (digest, retired_at)
        SELECT public.username_digest(username), max(left_at) FROM left_first
        GROUP BY public.username_digest(username)
        ON CONFLICT (digest) DO UPDATE SET retired_at = excluded.retired_at;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER username_taken AFTER INSERT ON users REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION username_changed();
CREATE TRIGGER username_changed AFTER UPDATE ON users
    REFERENCING OLD TABLE AS before NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION username_changed();

CREATE FUNCTION retire_usernames() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.retired_usernames AS r (digest)
    SELECT DISTINCT public.username_digest(n.username)
    FROM (SELECT OLD.username
          UNION ALL
          SELECT username FROM public.former_usernames WHERE user_id = OLD.id) n
    ORDER BY 1
    ON CONFLICT (digest) DO UPDATE SET retired_at = excluded.retired_at;
    RETURN OLD;
END $$;

CREATE TRIGGER retire_usernames BEFORE DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION retire_usernames();

CREATE FUNCTION retire_identities() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.retired_identities AS r (digest)
    SELECT public.identity_digest(issuer, subject) FROM retired
    ON CONFLICT (digest) DO UPDATE SET retired_at = excluded.retired_at;
    RETURN NULL;
END $$;

CREATE TRIGGER retire_identities AFTER DELETE ON identities REFERENCING OLD TABLE AS retired
    FOR EACH STATEMENT EXECUTE FUNCTION retire_identities();

-- Someone who has set a password no longer needs a link, and an old link must be worth nothing.
CREATE FUNCTION forget_resets() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM public.password_resets WHERE user_id = NEW.user_id;
    RETURN NULL;
END $$;

CREATE TRIGGER forget_resets AFTER INSERT OR UPDATE OF changed_at ON passwords
    FOR EACH ROW EXECUTE FUNCTION forget_resets();
