-- People can report what breaks the rules, and moderators can do something about it. Lists of new
-- accounts can wait before they are shown publicly.
--
-- A server of the version before can't make the list of someone public that a moderator has hidden.
-- oldest-server: 12
-- step: Roles, hidden lists, suspensions and new accounts
ALTER TABLE users
    ADD COLUMN role text NOT NULL DEFAULT 'member',
    -- Until when a suspension lasts; NULL if the account isn't disabled, or for good.
    ADD COLUMN disabled_until timestamptz,
    -- What the visibility was when a moderator hid the list, and will be again. While a list is
    -- hidden, it is private.
    ADD COLUMN hidden_visibility text,
    -- Until when the list of a new account is shown like an unlisted one; NULL if it isn't.
    ADD COLUMN new_until timestamptz;
ALTER TABLE users
    ADD CONSTRAINT users_role_check CHECK (role IN ('member', 'moderator', 'admin')) NOT VALID,
    ADD CONSTRAINT users_disabled_until_check
        CHECK (disabled_until IS NULL OR disabled_at IS NOT NULL) NOT VALID,
    ADD CONSTRAINT users_hidden_visibility_check
        CHECK (hidden_visibility IN ('public', 'unlisted', 'private')) NOT VALID,
    ADD CONSTRAINT users_hidden_check
        CHECK (hidden_visibility IS NULL OR visibility = 'private') NOT VALID;

CREATE FUNCTION audience_of(
    visibility text, disabled_at timestamptz, new_until timestamptz
) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN disabled_at IS NOT NULL OR visibility = 'private' THEN 'hidden'
                WHEN new_until IS NOT NULL THEN 'unlisted'
                ELSE visibility END
$$;

CREATE OR REPLACE FUNCTION make_lists() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO lists (user_id, audience)
    SELECT id, audience_of(visibility, disabled_at, new_until) FROM new_users;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION audience_changed() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    moved uuid[];
BEGIN
    SELECT array_agg(c.id) INTO moved
    FROM changed c JOIN before b USING (id)
    WHERE audience_of(c.visibility, c.disabled_at, c.new_until)
          <> audience_of(b.visibility, b.disabled_at, b.new_until);
    IF moved IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM FROM lists WHERE user_id = ANY (moved) ORDER BY user_id FOR NO KEY UPDATE;
    UPDATE lists l SET audience = audience_of(c.visibility, c.disabled_at, c.new_until)
    FROM changed c WHERE c.id = l.user_id AND l.user_id = ANY (moved);
    UPDATE entries e SET audience = l.audience
    FROM lists l WHERE l.user_id = e.user_id AND e.user_id = ANY (moved);
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_users() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM note_changes('{users}');
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM before b, unnest(ARRAY['users', 'lists', 'user ' || b.id]) AS k (key);
    ELSE
        -- Someone may be adding an entry right now, to which the other name would be shown. The
        -- lock of the list waits for them, or makes them wait.
        PERFORM FROM lists WHERE user_id IN (SELECT id FROM after)
        ORDER BY user_id FOR NO KEY UPDATE;
        PERFORM note_changes(array_agg(DISTINCT key))
        FROM before b
        JOIN after a USING (id)
        LEFT JOIN entries e ON e.user_id = b.id
        CROSS JOIN unnest(ARRAY['users', 'lists', 'user ' || b.id]
                          || entry_keys(b.id, e.platform_id, e.game_id)) AS k (key)
        WHERE key IS NOT NULL
          AND (b.username, b.display_name, b.bio, b.visibility, b.disabled_at, b.created_at,
               b.shows_ratings, b.new_until)
              IS DISTINCT FROM
              (a.username, a.display_name, a.bio, a.visibility, a.disabled_at, a.created_at,
               a.shows_ratings, a.new_until);
    END IF;
    RETURN NULL;
END $$;
-- step: Check the accounts from before
ALTER TABLE users
    VALIDATE CONSTRAINT users_role_check,
    VALIDATE CONSTRAINT users_disabled_until_check,
    VALIDATE CONSTRAINT users_hidden_visibility_check,
    VALIDATE CONSTRAINT users_hidden_check;
-- step (outside a transaction): Find new accounts
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_new ON users (new_until) WHERE new_until IS NOT NULL;
-- step (outside a transaction): Find suspensions that end
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_suspended ON users (disabled_until)
    WHERE disabled_until IS NOT NULL;
-- step (outside a transaction): Find moderators
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_roles ON users (role) WHERE role <> 'member';
-- step: Reports and what was done about them
-- What was reported, whatever the number of reports. One thing has one open case at most.
CREATE TABLE cases (
    id        bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    kind      text        NOT NULL CHECK (kind IN ('entry', 'list', 'profile')),
    user_id   uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    -- The entry, for that kind only; NULL once it is gone.
    entry_id  uuid        REFERENCES entries ON DELETE SET NULL,
    -- What was reported first, since its author may change it: the comment and the game, or the name
    -- and the description.
    reported  text        NOT NULL DEFAULT '',
    game      text,
    opened_at timestamptz NOT NULL DEFAULT now(),
    closed_at timestamptz,
    CHECK (entry_id IS NULL OR kind = 'entry')
);

CREATE UNIQUE INDEX cases_entries ON cases (entry_id) WHERE closed_at IS NULL AND entry_id IS NOT NULL;
CREATE UNIQUE INDEX cases_users ON cases (user_id, kind) WHERE closed_at IS NULL AND kind <> 'entry';
CREATE INDEX cases_open ON cases (id) WHERE closed_at IS NULL;
CREATE INDEX cases_closed ON cases (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX cases_of_user ON cases (user_id);
CREATE INDEX cases_of_entry ON cases (entry_id) WHERE entry_id IS NOT NULL;

CREATE TABLE reports (
    case_id     bigint      NOT NULL REFERENCES cases ON DELETE CASCADE,
    -- Who reports it: the user's id, or a digest of the network if no one was signed in. So a second
    -- report of the same thing isn't counted. A digest is replaced by something random when the case
    -- is closed.
    reporter    text        NOT NULL CHECK (char_length(reporter) BETWEEN 1 AND 64),
    reporter_id uuid        REFERENCES users ON DELETE SET NULL,
    reason      text        NOT NULL
        CHECK (reason IN ('spam', 'abuse', 'sexual', 'privacy', 'illegal', 'other')),
    note        text        NOT NULL DEFAULT '' CHECK (char_length(note) <= 500),
    made_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (case_id, reporter)
);

CREATE INDEX reports_of_user ON reports (reporter_id) WHERE reporter_id IS NOT NULL;

-- What moderators and operators did. Rows are only ever added, but for the mark that an act was undone.
CREATE TABLE moderation_acts (
    id        bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    done_at   timestamptz NOT NULL DEFAULT now(),
    -- NULL for an operator with fave-admin, or if the account was deleted.
    actor_id  uuid        REFERENCES users ON DELETE SET NULL,
    act       text        NOT NULL
        CHECK (act IN ('dismiss', 'hide_comment', 'hide_list', 'suspend', 'undo', 'approve', 'role')),
    -- Whom it concerns; NULL if the account was deleted.
    user_id   uuid        REFERENCES users ON DELETE SET NULL,
    entry_id  uuid        REFERENCES entries ON DELETE SET NULL,
    case_id   bigint      REFERENCES cases ON DELETE SET NULL,
    -- What the person concerned is told.
    reason    text        NOT NULL DEFAULT '' CHECK (char_length(reason) <= 500),
    -- Of a suspension; NULL for one without a term.
    until     timestamptz,
    undone_at timestamptz
);

CREATE INDEX moderation_acts_user ON moderation_acts (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX moderation_acts_actor ON moderation_acts (actor_id) WHERE actor_id IS NOT NULL;
CREATE INDEX moderation_acts_entry ON moderation_acts (entry_id) WHERE entry_id IS NOT NULL;
CREATE INDEX moderation_acts_case ON moderation_acts (case_id) WHERE case_id IS NOT NULL;

-- Comments that moderators took from their entries, for their authors and to be put back.
CREATE TABLE hidden_comments (
    act_id   bigint  PRIMARY KEY REFERENCES moderation_acts ON DELETE CASCADE,
    entry_id uuid    NOT NULL REFERENCES entries ON DELETE CASCADE,
    -- The game that the entry was for: the comment belongs to no other.
    game_id  integer NOT NULL,
    comment  text    NOT NULL
);

CREATE INDEX hidden_comments_entry ON hidden_comments (entry_id);

-- When a list is saved, the row of an entry that is gone may become another entry. What was about the
-- old one isn't about the new one.
CREATE FUNCTION forget_replaced_entry() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    UPDATE cases SET entry_id = NULL WHERE entry_id = OLD.id;
    DELETE FROM hidden_comments WHERE entry_id = OLD.id;
    UPDATE moderation_acts SET entry_id = NULL WHERE entry_id = OLD.id;
    RETURN NEW;
END $$;

CREATE TRIGGER forget_replaced_entry BEFORE UPDATE OF id ON entries
    FOR EACH ROW WHEN (NEW.id <> OLD.id) EXECUTE FUNCTION forget_replaced_entry();

-- Links that make the one who opens them the first administrator.
CREATE TABLE administrator_links (
    token_hash bytea       PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    expires_at timestamptz NOT NULL
);
-- step: Invitations
-- Links with which people sign up while SIGN_UP=invite.
CREATE TABLE invitations (
    id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    token_hash bytea       NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    -- Who invites; NULL for an operator with fave-admin.
    user_id    uuid        REFERENCES users ON DELETE CASCADE,
    uses_left  integer     NOT NULL CHECK (uses_left >= 0),
    uses       integer     NOT NULL CHECK (uses BETWEEN 1 AND 100),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

CREATE INDEX invitations_user ON invitations (user_id, created_at);
CREATE INDEX invitations_expiry ON invitations (expires_at);
