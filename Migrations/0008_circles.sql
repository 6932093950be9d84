-- Circles: groups that people join by a link, with rankings of their members' lists.
--
-- The rules held here, however writers race:
--   * a circle has at most a hundred members   circle_members_seat_check, circle_members_seat_key
--   * someone is in at most fifty circles      circle_members_place_check, circle_members_place_key
--   * and owns at most twenty of them          circle_members_owned_check, circle_members_owned_key
--   * a circle's single owner is a member      circle_members_owner, check_owner(), keep_owners()
--   * a link lets in no more than it says      circle_invitations_uses_left_check, join_circle()
--   * but no one who has blocked the owner,
--     or whom the owner has blocked            join_circle(), give_circle(), apply_blocks()
--   * no two circles have the same address     circles_slug_key, add_circle()
--   * a circle's webhook is its owner's        set_circle_webhook(), give_circle()
--   * no one's webhooks fill the queue         queue_webhook()
--
-- Everyone who changes a circle's members locks the circle first, and several in the order of their
-- ids. Their webhooks are locked next, in the same order, and then what is queued for these.

CREATE TABLE circles (
    id          uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    slug        text        NOT NULL DEFAULT 'circle-' || left(gen_random_uuid()::text, 8)
                CONSTRAINT circles_slug_key UNIQUE
                CONSTRAINT circles_slug_check
                CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND char_length(slug) <= 60
                       AND slug NOT IN ('join', 'new')),
    name        text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
    description text        NOT NULL DEFAULT '' CHECK (char_length(description) <= 300),
    visibility  text        NOT NULL DEFAULT 'members' CHECK (visibility IN ('public', 'members')),
    created_at  timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE circles IS 'Groups of people';
COMMENT ON COLUMN circles.slug IS
    'The end of its address, made of its first name. It stays when the name changes, so that links '
    'keep working';
COMMENT ON COLUMN circles.visibility IS 'Who sees the circle: everyone, or its members only';

CREATE TABLE circle_members (
    id        uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    circle_id uuid        NOT NULL REFERENCES circles ON DELETE CASCADE,
    user_id   uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    seat      smallint    NOT NULL
                          CONSTRAINT circle_members_seat_check CHECK (seat BETWEEN 1 AND 100),
    place     smallint    NOT NULL
                          CONSTRAINT circle_members_place_check CHECK (place BETWEEN 1 AND 50),
    owned     smallint    CONSTRAINT circle_members_owned_check CHECK (owned BETWEEN 1 AND 20),
    joined_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT circle_members_key UNIQUE (circle_id, user_id),
    CONSTRAINT circle_members_seat_key UNIQUE (circle_id, seat),
    CONSTRAINT circle_members_place_key UNIQUE (user_id, place),
    CONSTRAINT circle_members_owned_key UNIQUE (user_id, owned)
);

COMMENT ON TABLE circle_members IS
    'Who is in which circle. The numbers mean nothing, but there are only so many';
COMMENT ON COLUMN circle_members.id IS
    'Names the member to the others, who may not be told the username';
COMMENT ON COLUMN circle_members.seat IS 'The number of the member in the circle';
COMMENT ON COLUMN circle_members.place IS 'The number of the circle among the member''s';
COMMENT ON COLUMN circle_members.owned IS
    'The number of the circle among those that the member owns; NULL for a member who is not the '
    'owner';

CREATE UNIQUE INDEX circle_members_owner ON circle_members (circle_id) WHERE owned IS NOT NULL;

CREATE TABLE circle_invitations (
    id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    circle_id  uuid        NOT NULL REFERENCES circles ON DELETE CASCADE,
    token_hash bytea       NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    uses       integer     NOT NULL CHECK (uses BETWEEN 1 AND 100),
    uses_left  integer     NOT NULL
               CONSTRAINT circle_invitations_uses_left_check CHECK (uses_left BETWEEN 0 AND uses),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

COMMENT ON TABLE circle_invitations IS 'Links with which people join circles';

CREATE INDEX circle_invitations_circle ON circle_invitations (circle_id, created_at);
CREATE INDEX circle_invitations_expiry ON circle_invitations (expires_at);

-- Webhooks ----------------------------------------------------------------------------------------

CREATE TABLE circle_webhooks (
    circle_id uuid        PRIMARY KEY REFERENCES circles ON DELETE CASCADE,
    owner_id  uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    address   text        NOT NULL CONSTRAINT circle_webhooks_address_check
                          CHECK (char_length(address) <= 1000),
    secret    bytea       NOT NULL CHECK (octet_length(secret) BETWEEN 24 AND 64),
    made_at   timestamptz NOT NULL DEFAULT now(),
    sent_at   timestamptz,
    failed_at timestamptz,
    failure   text        CHECK (char_length(failure) <= 200),
    ended_at  timestamptz,
    dropped    integer     NOT NULL DEFAULT 0,
    dropped_at timestamptz,
    logged     integer     NOT NULL DEFAULT 0 CHECK (logged <= dropped),
    CHECK ((failed_at IS NULL) = (failure IS NULL)),
    CHECK ((dropped_at IS NULL) = (dropped = 0))
);

COMMENT ON TABLE circle_webhooks IS
    'Where the owners of circles have the changes in them sent. A webhook ends when the circle changes '
    'hands';
COMMENT ON COLUMN circle_webhooks.address IS 'An address of https, which may contain a secret itself';
COMMENT ON COLUMN circle_webhooks.secret IS 'The key of the signatures. A secret';
COMMENT ON COLUMN circle_webhooks.sent_at IS 'When something was last delivered';
COMMENT ON COLUMN circle_webhooks.failed_at IS
    'When an attempt last failed; NULL if something was delivered after that';
COMMENT ON COLUMN circle_webhooks.failure IS 'Why it failed, in words for the owner';
COMMENT ON COLUMN circle_webhooks.ended_at IS
    'When the receiver said that it wants nothing more (410); NULL if it did not';

COMMENT ON COLUMN circle_webhooks.dropped IS
    'How many messages were dropped, because too many were waiting or because they could not be delivered';
COMMENT ON COLUMN circle_webhooks.dropped_at IS 'When the last of them was; NULL if none was';
COMMENT ON COLUMN circle_webhooks.logged IS 'How many of them servers have logged and counted';

CREATE INDEX circle_webhooks_owner ON circle_webhooks (owner_id);
CREATE INDEX circle_webhooks_dropped ON circle_webhooks (circle_id) WHERE dropped > logged;

CREATE TABLE outgoing_webhooks (
    id        uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    kind      text        NOT NULL
              CHECK (kind IN ('report', 'joined', 'left', 'list', 'renamed', 'test')),
    circle_id uuid        REFERENCES circle_webhooks ON DELETE CASCADE,
    user_id   uuid        REFERENCES users ON DELETE CASCADE,
    case_id   bigint,
    former_name text,
    attempts  integer     NOT NULL DEFAULT 0,
    made_at   timestamptz NOT NULL DEFAULT now(),
    tried_at  timestamptz,
    due_at    timestamptz NOT NULL DEFAULT now(),
    CHECK ((kind = 'report') = (circle_id IS NULL)),
    CHECK ((kind = 'report') = (case_id IS NOT NULL)),
    CHECK ((kind = 'renamed') = (former_name IS NOT NULL))
);

COMMENT ON TABLE outgoing_webhooks IS
    'What is to be sent to webhooks. A row says what to tell, and not the text: what may be told is '
    'looked up at each attempt';
COMMENT ON COLUMN outgoing_webhooks.kind IS
    'A new case, for the moderators; or of a circle: a member who has joined or left, new games on a '
    'member''s list, a new name, or a test';
COMMENT ON COLUMN outgoing_webhooks.user_id IS
    'The member; NULL for one whose account was deleted, and for other kinds';
COMMENT ON COLUMN outgoing_webhooks.former_name IS
    'The name of the circle before it was first renamed; NULL for other kinds';
COMMENT ON COLUMN outgoing_webhooks.tried_at IS
    'The time of the first attempt, which tells the changes of a list up to then; NULL before it';
COMMENT ON COLUMN outgoing_webhooks.due_at IS
    'When it is tried next. A server that works on it moves this into the future first, so that '
    'another one takes over if it dies';

CREATE INDEX outgoing_webhooks_due ON outgoing_webhooks (due_at);
CREATE INDEX outgoing_webhooks_circle ON outgoing_webhooks (circle_id) WHERE circle_id IS NOT NULL;
CREATE INDEX outgoing_webhooks_user ON outgoing_webhooks (user_id) WHERE user_id IS NOT NULL;
-- Several saves of a list in a row make one message.
CREATE UNIQUE INDEX outgoing_webhooks_lists ON outgoing_webhooks (circle_id, user_id)
    WHERE kind = 'list' AND tried_at IS NULL;

-- Functions ---------------------------------------------------------------------------------------

-- The first number from 1 on that is not taken.
CREATE FUNCTION first_free(taken smallint[]) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT min(n) FROM generate_series(1, cardinality(taken) + 1) n WHERE n <> ALL (taken)
$$;

-- Adds a member to a circle that the caller has locked. The same person may be joining another one
-- at the same time and take a number first; then the next one is tried.
CREATE FUNCTION add_circle_member(circle uuid, person uuid, owns boolean) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    violated text;
BEGIN
    LOOP
        BEGIN
            INSERT INTO public.circle_members (circle_id, user_id, seat, place, owned)
            SELECT circle, person,
                   public.first_free(ARRAY(SELECT m.seat FROM public.circle_members m
                                           WHERE m.circle_id = circle)),
                   public.first_free(ARRAY(SELECT m.place FROM public.circle_members m
                                           WHERE m.user_id = person)),
                   CASE WHEN owns THEN
                       public.first_free(ARRAY(SELECT m.owned FROM public.circle_members m
                                               WHERE m.user_id = person AND m.owned IS NOT NULL))
                   END;
            RETURN;
        EXCEPTION WHEN unique_violation THEN
            GET STACKED DIAGNOSTICS violated = CONSTRAINT_NAME;
            IF violated NOT IN ('circle_members_place_key', 'circle_members_owned_key') THEN
                RAISE;
            END IF;
        END;
    END LOOP;
END $$;

-- Makes a member the owner of a circle without one, which the caller has locked. All links and the webhook
-- end: the new owner has not made them. So does the membership of people whom the new owner has blocked, or
-- who have blocked the new owner.
CREATE FUNCTION give_circle(circle uuid, member uuid) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    violated text;
BEGIN
    -- First, so that it isn't told of those who leave.
    DELETE FROM public.circle_webhooks w WHERE w.circle_id = circle;
    DELETE FROM public.circle_invitations i WHERE i.circle_id = circle;
    LOOP
        BEGIN
            UPDATE public.circle_members m
            SET owned = public.first_free(ARRAY(SELECT o.owned FROM public.circle_members o
                                                WHERE o.user_id = m.user_id
                                                  AND o.owned IS NOT NULL))
            WHERE m.id = member;
            EXIT;
        EXCEPTION WHEN unique_violation THEN
            GET STACKED DIAGNOSTICS violated = CONSTRAINT_NAME;
            IF violated <> 'circle_members_owned_key' THEN
                RAISE;
            END IF;
        END;
    END LOOP;
    -- Someone who blocks another member waits for the circle, or has done so before.
    DELETE FROM public.circle_members m USING public.circle_members o
    WHERE o.id = member AND m.circle_id = circle AND m.owned IS NULL
      AND public.are_apart(m.user_id, o.user_id);
END $$;

-- The end of a circle's address: its name in plain letters and digits, such as thursday-club. If
-- that is taken, the next attempts have a number, and those from the tenth on a random ending.
--
-- A circle for its members only has a random ending from the start: a taken address would tell
-- others that there is a circle of that name. The same goes for a name without plain letters. A
-- circle that was public retains its address when it becomes one for members only.
CREATE FUNCTION circle_slug(name text, visibility text, attempt integer) RETURNS text
    LANGUAGE plpgsql AS $$
DECLARE
    words text := btrim(left(btrim(regexp_replace(public.plain_name(public.fold(name)),
                                                  '[^a-z0-9]+', '-', 'g'), '-'), 40), '-');
BEGIN
    IF visibility = 'members' OR words = '' OR attempt > 9 THEN
        RETURN coalesce(nullif(words, ''), 'circle') || '-'
            || left(gen_random_uuid()::text, least(3 + attempt, 8));
    ELSIF words IN ('join', 'new') THEN
        words := words || '-circle';
    END IF;
    RETURN words || CASE WHEN attempt > 1 THEN '-' || attempt ELSE '' END;
END $$;

-- Adds a circle, which must get an owner in the same transaction. Others may be taking the same
-- address at the same time; then this waits for them, and tries the next one.
CREATE FUNCTION add_circle(circle uuid, name text, description text, visibility text) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    attempt integer := 0;
BEGIN
    LOOP
        attempt := attempt + 1;
        INSERT INTO public.circles (id, slug, name, description, visibility)
        VALUES (circle,
                public.circle_slug(add_circle.name, add_circle.visibility, attempt),
                add_circle.name, add_circle.description, add_circle.visibility)
        ON CONFLICT ON CONSTRAINT circles_slug_key DO NOTHING;
        EXIT WHEN FOUND;
    END LOOP;
END $$;

CREATE FUNCTION make_circle(person uuid, name text, description text, visibility text) RETURNS uuid
    LANGUAGE plpgsql AS $$
DECLARE
    circle uuid := gen_random_uuid();
BEGIN
    PERFORM public.add_circle(circle, name, description, visibility);
    PERFORM public.add_circle_member(circle, person, true);
    RETURN circle;
END $$;

-- Whether someone owns a circle and isn't suspended. Asked once the circle is locked, so that the
-- result stays right.
CREATE FUNCTION owns_circle(circle uuid, person uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM public.circle_members m JOIN public.users u ON u.id = m.user_id
                   WHERE m.circle_id = circle AND m.user_id = person AND m.owned IS NOT NULL
                     AND u.disabled_at IS NULL);
END $$;

-- Changes a circle for its owner. A NULL argument leaves its value unchanged. False for anyone but
-- the owner.
--
-- People who joined a circle for its members only have not agreed to be seen by everyone, so it
-- becomes public only while its owner is alone in it. Its links end then, since they promise
-- something else.
CREATE FUNCTION change_circle(
    circle uuid, person uuid, new_name text, new_description text, new_visibility text
) RETURNS boolean
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM public.circles WHERE id = circle FOR NO KEY UPDATE;
    IF NOT public.owns_circle(circle, person) THEN
        RETURN false;
    END IF;
    IF new_visibility = 'public'
       AND EXISTS (SELECT FROM public.circles c
                   WHERE c.id = circle AND c.visibility = 'members') THEN
        IF EXISTS (SELECT FROM public.circle_members m
                   WHERE m.circle_id = circle AND m.owned IS NULL) THEN
            RAISE EXCEPTION 'circle % has members who joined it for members only', circle
                USING ERRCODE = 'check_violation', CONSTRAINT = 'circles_exposure';
        END IF;
        DELETE FROM public.circle_invitations i WHERE i.circle_id = circle;
    END IF;
    UPDATE public.circles c
    SET name        = coalesce(new_name, c.name),
        description = coalesce(new_description, c.description),
        visibility  = coalesce(new_visibility, c.visibility)
    WHERE c.id = circle;
    RETURN true;
END $$;

-- Deletes a circle for its owner. False for anyone else.
CREATE FUNCTION delete_circle(circle uuid, person uuid) RETURNS boolean
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM public.circles WHERE id = circle FOR UPDATE;
    IF NOT public.owns_circle(circle, person) THEN
        RETURN false;
    END IF;
    DELETE FROM public.circles c WHERE c.id = circle;
    RETURN true;
END $$;

-- Lets a member leave. False for the owner, who can't; true for someone who isn't a member.
CREATE FUNCTION leave_circle(circle uuid, person uuid) RETURNS boolean
    LANGUAGE plpgsql AS $$
BEGIN
    -- The webhook's message refers to them.
    PERFORM FROM public.users WHERE id = person FOR KEY SHARE;
    PERFORM FROM public.circles WHERE id = circle FOR NO KEY UPDATE;
    DELETE FROM public.circle_members m
    WHERE m.circle_id = circle AND m.user_id = person AND m.owned IS NULL;
    RETURN NOT EXISTS (SELECT FROM public.circle_members m
                       WHERE m.circle_id = circle AND m.user_id = person);
END $$;

-- Makes a link. NULL for anyone but the owner.
--
--   bound   How many links the circle may have then that can still be used.
--   way     The session or token that the request came with.
CREATE FUNCTION make_circle_invitation(
    circle uuid, person uuid, hash bytea, uses integer, days integer, bound integer,
    way uuid DEFAULT NULL
) RETURNS uuid
    LANGUAGE plpgsql AS $$
DECLARE
    invitation uuid;
BEGIN
    PERFORM FROM public.users WHERE id = person FOR SHARE;
    PERFORM FROM public.circles WHERE id = circle FOR NO KEY UPDATE;
    IF NOT public.owns_circle(circle, person) OR NOT public.is_still_in(person, way) THEN
        RETURN NULL;
    END IF;
    IF (SELECT count(*) FROM public.circle_invitations i
        WHERE i.circle_id = circle AND i.uses_left > 0 AND i.expires_at > now()) >= bound THEN
        RAISE EXCEPTION 'circle % has too many links', circle
            USING ERRCODE = 'check_violation', CONSTRAINT = 'circle_invitations_bound';
    END IF;
    INSERT INTO public.circle_invitations (circle_id, token_hash, uses, uses_left, expires_at)
    VALUES (circle, hash, make_circle_invitation.uses, make_circle_invitation.uses,
            now() + days * interval '1 day')
    RETURNING id INTO invitation;
    RETURN invitation;
END $$;

-- Joins the circle of a link, which uses the link up by one. Someone who is a member already uses
-- up nothing. NULL if the link can't be used, or if the owner and this person are apart.
CREATE FUNCTION join_circle(hash bytea, person uuid) RETURNS uuid
    LANGUAGE plpgsql AS $$
DECLARE
    circle uuid;
BEGIN
    -- Someone who blocks this person, or whom this person blocks, waits here, or has done so before.
    PERFORM FROM public.users WHERE id = person FOR SHARE;
    SELECT circle_id INTO circle FROM public.circle_invitations WHERE token_hash = hash;
    -- Others who join wait here, and see how many uses are left.
    PERFORM FROM public.circles WHERE id = circle FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM public.circle_members m
               WHERE m.circle_id = circle AND m.user_id = person) THEN
        RETURN circle;
    END IF;
    UPDATE public.circle_invitations i SET uses_left = uses_left - 1
    WHERE i.token_hash = hash AND i.uses_left > 0 AND i.expires_at > now()
      AND EXISTS (SELECT FROM public.circle_members o JOIN public.users u ON u.id = o.user_id
                  WHERE o.circle_id = i.circle_id AND o.owned IS NOT NULL
                    AND u.disabled_at IS NULL AND NOT public.are_apart(person, u.id));
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM public.add_circle_member(circle, person, false);
    RETURN circle;
END $$;

-- Removes a member for the owner. All links end, so that the member can't come back with one.
CREATE FUNCTION remove_circle_member(circle uuid, person uuid, member uuid) RETURNS boolean
    LANGUAGE plpgsql AS $$
BEGIN
    -- The webhook's message refers to them.
    PERFORM FROM public.users
    WHERE id = (SELECT m.user_id FROM public.circle_members m WHERE m.id = member) FOR KEY SHARE;
    PERFORM FROM public.circles WHERE id = circle FOR NO KEY UPDATE;
    IF NOT public.owns_circle(circle, person) THEN
        RETURN false;
    END IF;
    DELETE FROM public.circle_members m
    WHERE m.id = member AND m.circle_id = circle AND m.owned IS NULL;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM public.circle_invitations i WHERE i.circle_id = circle;
    RETURN true;
END $$;

-- Makes another member the owner, who must not be suspended.
CREATE FUNCTION hand_over_circle(circle uuid, person uuid, member uuid) RETURNS boolean
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM public.circles WHERE id = circle FOR NO KEY UPDATE;
    IF NOT public.owns_circle(circle, person)
       OR NOT EXISTS (SELECT FROM public.circle_members m JOIN public.users u ON u.id = m.user_id
                      WHERE m.id = member AND m.circle_id = circle AND m.owned IS NULL
                        AND u.disabled_at IS NULL) THEN
        RETURN false;
    END IF;
    UPDATE public.circle_members m SET owned = NULL
    WHERE m.circle_id = circle AND m.user_id = person;
    PERFORM public.give_circle(circle, member);
    RETURN true;
END $$;

-- Replaces a circle's webhook for its owner, with what is queued for it, and notifies the owner by mail.
-- False for anyone else.
--
--   way     The session or token that the request came with.
CREATE FUNCTION set_circle_webhook(
    circle uuid, person uuid, address text, secret bytea, way uuid DEFAULT NULL
) RETURNS boolean
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM public.users WHERE id = person FOR SHARE;
    PERFORM FROM public.circles WHERE id = circle FOR NO KEY UPDATE;
    IF NOT public.owns_circle(circle, person) OR NOT public.is_still_in(person, way) THEN
        RETURN false;
    END IF;
    DELETE FROM public.circle_webhooks w WHERE w.circle_id = circle;
    INSERT INTO public.circle_webhooks (circle_id, owner_id, address, secret)
    VALUES (circle, person, set_circle_webhook.address, set_circle_webhook.secret);
    -- It may have been someone else with the owner's session.
    INSERT INTO public.outgoing_mail (kind, user_id, subject)
    SELECT 'webhook', a.user_id, a.address FROM public.mail_addresses a WHERE a.user_id = person;
    RETURN true;
END $$;

-- Removes a circle's webhook for its owner. False for anyone else.
CREATE FUNCTION remove_circle_webhook(circle uuid, person uuid) RETURNS boolean
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM public.circles WHERE id = circle FOR NO KEY UPDATE;
    IF NOT public.owns_circle(circle, person) THEN
        RETURN false;
    END IF;
    DELETE FROM public.circle_webhooks w WHERE w.circle_id = circle;
    RETURN true;
END $$;

-- Whether another message to a circle's webhook may wait. At most a hundred wait for a circle, and five
-- hundred for all circles of an owner: fewer if the queue of all fills up, a tenth of what is free in it. So
-- the owners of the most messages wait first, and those of few never do. Only a full queue refuses a
-- test, which its sender can see; there are limits for how often someone sends one.
CREATE FUNCTION may_queue_webhook(event text, circle uuid, owner uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    free integer := 10000 - (SELECT count(*)
                             FROM (SELECT FROM public.outgoing_webhooks LIMIT 10000) q);
BEGIN
    RETURN CASE WHEN event = 'test' THEN free > 0 ELSE
        (SELECT count(*) FROM public.outgoing_webhooks q WHERE q.circle_id = circle) < 100
        AND (SELECT count(*)
             FROM public.circle_webhooks w JOIN public.outgoing_webhooks q USING (circle_id)
             WHERE w.owner_id = owner) < least(500, free / 10)
    END;
END $$;

-- Queues a message to a circle's webhook, unless too many messages wait already: that is noted for its
-- owner. The message about a list waits for five minutes after the first change, and one about the name
-- for a minute; further changes belong to them. Only the latter has a former name. False if the message is dropped, and NULL if there is no
-- webhook.
CREATE FUNCTION queue_webhook(event text, circle uuid, person uuid, former_name text DEFAULT NULL)
    RETURNS boolean
    LANGUAGE plpgsql AS $$
DECLARE
    owner uuid;
BEGIN
    SELECT w.owner_id INTO owner FROM public.circle_webhooks w
    WHERE w.circle_id = circle AND w.ended_at IS NULL FOR KEY SHARE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    -- A row that is there already is locked: no server takes it before this change can be seen.
    PERFORM FROM public.outgoing_webhooks q
    WHERE q.circle_id = circle AND q.kind = event AND q.tried_at IS NULL
      AND (event = 'list' AND q.user_id = person OR event = 'renamed')
    FOR UPDATE;
    IF FOUND THEN
        RETURN true;
    END IF;
    IF NOT public.may_queue_webhook(event, circle, owner) THEN
        UPDATE public.circle_webhooks w SET dropped = w.dropped + 1, dropped_at = now()
        WHERE w.circle_id = circle;
        RETURN false;
    END IF;
    INSERT INTO public.outgoing_webhooks AS o (kind, circle_id, user_id, former_name, due_at)
    VALUES (event, circle, person, queue_webhook.former_name,
            now() + CASE event WHEN 'list' THEN interval '5 minutes'
                               WHEN 'renamed' THEN interval '1 minute' ELSE interval '0' END)
    ON CONFLICT (circle_id, user_id) WHERE kind = 'list' AND tried_at IS NULL
        DO UPDATE SET due_at = o.due_at;
    RETURN true;
END $$;

-- Ends what someone with an owner's session may have made to learn of the owner's circles, and to get
-- into them: webhooks and links. For after the owner is locked.
CREATE FUNCTION close_circles(person uuid) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    owned_circles uuid[] := ARRAY(SELECT m.circle_id FROM public.circle_members m
                                  WHERE m.user_id = person AND m.owned IS NOT NULL);
BEGIN
    PERFORM FROM public.circles c WHERE c.id = ANY (owned_circles) ORDER BY c.id FOR NO KEY UPDATE;
    PERFORM FROM public.circle_webhooks w WHERE w.owner_id = person
    ORDER BY w.circle_id FOR UPDATE;
    DELETE FROM public.circle_webhooks w WHERE w.owner_id = person;
    DELETE FROM public.circle_invitations i WHERE i.circle_id = ANY (owned_circles);
END $$;

-- Triggers ----------------------------------------------------------------------------------------

-- When the owner's account is deleted, the circle passes to its longest-standing member who can own
-- another circle, if possible to someone who isn't suspended. Without such a member, it is deleted.
CREATE FUNCTION keep_owners() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    orphan uuid;
    heir   uuid;
BEGIN
    FOR orphan IN
        SELECT c.id FROM public.circles c
        WHERE c.id IN (SELECT circle_id FROM removed WHERE owned IS NOT NULL)
        ORDER BY c.id FOR NO KEY UPDATE
    LOOP
        SELECT m.id INTO heir
        FROM public.circle_members m JOIN public.users u ON u.id = m.user_id
        WHERE m.circle_id = orphan
          AND (SELECT count(*) FROM public.circle_members o
               WHERE o.user_id = m.user_id AND o.owned IS NOT NULL) < 20
        ORDER BY u.disabled_at IS NOT NULL, m.joined_at, m.seat
        LIMIT 1;
        IF heir IS NULL THEN
            DELETE FROM public.circles WHERE id = orphan;
        ELSE
            PERFORM public.give_circle(orphan, heir);
        END IF;
    END LOOP;
    RETURN NULL;
END $$;

CREATE TRIGGER keep_owners AFTER DELETE ON circle_members REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_owners();

-- A transaction that leaves a circle without an owner fails at its end.
CREATE FUNCTION check_owner() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    circle uuid;
BEGIN
    IF TG_TABLE_NAME = 'circles' THEN
        circle := NEW.id;
    ELSE
        circle := NEW.circle_id;
    END IF;
    IF EXISTS (SELECT FROM public.circles WHERE id = circle)
       AND NOT EXISTS (SELECT FROM public.circle_members
                       WHERE circle_id = circle AND owned IS NOT NULL) THEN
        RAISE EXCEPTION 'circle % has no owner', circle
            USING ERRCODE = 'check_violation', CONSTRAINT = 'circles_owner';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER check_owner AFTER INSERT ON circles
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_owner();
CREATE CONSTRAINT TRIGGER check_owner AFTER UPDATE OF owned ON circle_members
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.owned IS NULL)
    EXECUTE FUNCTION check_owner();

-- Locks the circles of someone whose account is about to be deleted, as everyone does who changes
-- their members: before the members. The webhooks that are deleted with it or told of it come next, and
-- those for which something about the person is queued.
CREATE FUNCTION lock_circles() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM public.circles
    WHERE id IN (SELECT circle_id FROM public.circle_members WHERE user_id = OLD.id)
    ORDER BY id FOR NO KEY UPDATE;
    PERFORM FROM public.circle_webhooks
    WHERE circle_id IN (SELECT circle_id FROM public.circle_webhooks WHERE owner_id = OLD.id
                        UNION
                        SELECT circle_id FROM public.circle_members WHERE user_id = OLD.id
                        UNION
                        SELECT circle_id FROM public.outgoing_webhooks WHERE user_id = OLD.id)
    ORDER BY circle_id FOR UPDATE;
    RETURN OLD;
END $$;

CREATE TRIGGER lock_circles BEFORE DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION lock_circles();

-- Tells a circle's webhook who joins and leaves. An account that is being deleted leaves without a name.
CREATE FUNCTION tell_of_member() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM public.queue_webhook('joined', NEW.circle_id, NEW.user_id);
    ELSE
        PERFORM public.queue_webhook('left', OLD.circle_id,
                                     (SELECT u.id FROM public.users u WHERE u.id = OLD.user_id));
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER tell_of_member AFTER INSERT OR DELETE ON circle_members
    FOR EACH ROW EXECUTE FUNCTION tell_of_member();

CREATE FUNCTION tell_of_name() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    PERFORM public.queue_webhook('renamed', NEW.id, NULL, OLD.name);
    RETURN NULL;
END $$;

CREATE TRIGGER tell_of_name AFTER UPDATE OF name ON circles
    FOR EACH ROW WHEN (NEW.name <> OLD.name) EXECUTE FUNCTION tell_of_name();

-- For someone in no circle with a webhook this is one look into two indexes.
CREATE FUNCTION tell_of_list() RETURNS trigger
    LANGUAGE plpgsql AS $$
DECLARE
    circle uuid;
BEGIN
    FOR circle IN
        SELECT m.circle_id
        FROM public.circle_members m JOIN public.circle_webhooks w USING (circle_id)
        WHERE m.user_id = NEW.user_id
        ORDER BY m.circle_id
    LOOP
        PERFORM public.queue_webhook('list', circle, NEW.user_id);
    END LOOP;
    RETURN NULL;
END $$;

CREATE TRIGGER tell_of_list AFTER UPDATE OF version ON lists
    FOR EACH ROW WHEN (NEW.version <> OLD.version AND NEW.audience = 'public')
    EXECUTE FUNCTION tell_of_list();
