-- Moderation: what people report, and what moderators and operators do about it. Suspensions, roles
-- and new accounts are columns of users.
--
-- The rules held here:
--   * a thing has at most one open case, with any number of reports  cases_entries, cases_users,
--                                                                    cases_circles
--   * someone reports a thing once                                   reports_pkey
--   * what is about an entry isn't about one that takes its row      foreign keys, entry_replaced()
--   * actions are only added; one may be undone, once                moderation_actions_constant,
--                                                                  moderation_actions_last
--   * a comment that is hidden is hidden in snapshots, too           hide_snapshot_comments(),
--                                                                    show_snapshot_comments()

CREATE TABLE cases (
    id        bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    kind      text        NOT NULL CHECK (kind IN ('entry', 'list', 'profile', 'circle')),
    user_id   uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    entry_id  uuid        REFERENCES entries ON UPDATE SET NULL ON DELETE SET NULL,
    reported  text        NOT NULL DEFAULT '',
    game      text,
    opened_at timestamptz NOT NULL DEFAULT now(),
    closed_at timestamptz,
    circle_id uuid        REFERENCES circles ON DELETE SET NULL,
    CHECK (entry_id IS NULL OR kind = 'entry'),
    CHECK (circle_id IS NULL OR kind = 'circle')
);

COMMENT ON TABLE cases IS 'Reported things, each with any number of reports';
COMMENT ON COLUMN cases.user_id IS
    'The affected person: of a circle, the one who owned it when it was first reported';
COMMENT ON COLUMN cases.entry_id IS 'The entry, for that kind only; NULL once it is gone';
COMMENT ON COLUMN cases.reported IS
    'The text that was reported first, since its author may change it: the comment, or the names and '
    'the description';
COMMENT ON COLUMN cases.game IS 'The name of the entry''s game';
COMMENT ON COLUMN cases.circle_id IS 'The circle, for that kind only; NULL once it is gone';

CREATE UNIQUE INDEX cases_entries ON cases (entry_id)
    WHERE closed_at IS NULL AND entry_id IS NOT NULL;
CREATE UNIQUE INDEX cases_users ON cases (user_id, kind)
    WHERE closed_at IS NULL AND kind IN ('list', 'profile');
CREATE UNIQUE INDEX cases_circles ON cases (circle_id)
    WHERE closed_at IS NULL AND circle_id IS NOT NULL;
CREATE INDEX cases_open ON cases (id) WHERE closed_at IS NULL;
CREATE INDEX cases_closed ON cases (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX cases_of_user ON cases (user_id);
CREATE INDEX cases_of_entry ON cases (entry_id) WHERE entry_id IS NOT NULL;
CREATE INDEX cases_of_circle ON cases (circle_id) WHERE circle_id IS NOT NULL;

CREATE TABLE reports (
    case_id     bigint      NOT NULL REFERENCES cases ON DELETE CASCADE,
    reporter    text        NOT NULL CHECK (char_length(reporter) BETWEEN 1 AND 64),
    reporter_id uuid        REFERENCES users ON DELETE SET NULL,
    reason      text        NOT NULL
                CHECK (reason IN ('spam', 'abuse', 'sexual', 'privacy', 'illegal', 'other')),
    note        text        NOT NULL DEFAULT '' CHECK (char_length(note) <= 500),
    made_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (case_id, reporter)
);

COMMENT ON TABLE reports IS 'Who reported what';
COMMENT ON COLUMN reports.reporter IS
    'The user''s id, or a digest of the network if no one was signed in, so that a second report '
    'of the same thing is not counted. A digest, which is shorter than an id, is replaced by a random '
    'id after some days, or when the case is closed';

CREATE INDEX reports_of_user ON reports (reporter_id) WHERE reporter_id IS NOT NULL;
CREATE INDEX reports_of_networks ON reports (made_at) WHERE char_length(reporter) < 36;

CREATE TABLE moderation_actions (
    id        bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    done_at   timestamptz NOT NULL DEFAULT now(),
    actor_id  uuid        REFERENCES users ON DELETE SET NULL,
    action    text        NOT NULL
              CHECK (action IN ('dismiss', 'hide_comment', 'hide_list', 'hide_circle', 'suspend',
                                'undo', 'approve', 'role')),
    user_id   uuid        REFERENCES users ON DELETE SET NULL,
    entry_id  uuid        REFERENCES entries ON UPDATE SET NULL ON DELETE SET NULL,
    case_id   bigint      REFERENCES cases ON DELETE SET NULL,
    reason    text        NOT NULL DEFAULT '' CHECK (char_length(reason) <= 500),
    until     timestamptz,
    undone_at timestamptz
);

COMMENT ON TABLE moderation_actions IS
    'The actions of moderators and operators. Rows are only added. The only change to a row is the '
    'mark that its action was undone';
COMMENT ON COLUMN moderation_actions.actor_id IS
    'NULL for an operator with fave-admin, or if the account was deleted';
COMMENT ON COLUMN moderation_actions.user_id IS 'The affected person; NULL if the account was deleted';
COMMENT ON COLUMN moderation_actions.reason IS
    'The reason that the affected person sees; for a role, the new role';
COMMENT ON COLUMN moderation_actions.until IS 'Of a suspension; NULL for one without a term';

CALL hold_constant('moderation_actions',
                   '{id, done_at, actor_id, action, user_id, entry_id, case_id, reason, until,
                     undone_at}',
                   clearable => '{actor_id, user_id, entry_id, case_id}',
                   fillable => '{undone_at}');
CREATE TRIGGER moderation_actions_last BEFORE DELETE ON moderation_actions
    FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE INDEX moderation_actions_user ON moderation_actions (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX moderation_actions_actor ON moderation_actions (actor_id) WHERE actor_id IS NOT NULL;
CREATE INDEX moderation_actions_entry ON moderation_actions (entry_id) WHERE entry_id IS NOT NULL;
CREATE INDEX moderation_actions_case ON moderation_actions (case_id) WHERE case_id IS NOT NULL;

CREATE TABLE hidden_comments (
    action_id bigint  PRIMARY KEY REFERENCES moderation_actions ON DELETE CASCADE,
    -- entry_replaced() deletes them before an update. RESTRICT does not also look for another entry that
    -- has taken the id, as NO ACTION would.
    entry_id  uuid    NOT NULL REFERENCES entries ON DELETE CASCADE ON UPDATE RESTRICT,
    game_id   integer NOT NULL,
    comment   text    NOT NULL
);

COMMENT ON TABLE hidden_comments IS
    'Comments that moderators took from their entries, for their authors to see and to be put back';
COMMENT ON COLUMN hidden_comments.game_id IS
    'The game that the entry was for: the comment belongs to no other';

CREATE INDEX hidden_comments_entry ON hidden_comments (entry_id);

CREATE TABLE hidden_circles (
    action_id   bigint PRIMARY KEY REFERENCES moderation_actions ON DELETE CASCADE,
    circle_id   uuid   NOT NULL REFERENCES circles ON DELETE CASCADE,
    slug        text   NOT NULL DEFAULT 'circle-' || left(gen_random_uuid()::text, 8),
    name        text   NOT NULL,
    description text   NOT NULL
);

COMMENT ON TABLE hidden_circles IS
    'Names, addresses and descriptions that moderators took from circles, to be put back';

CREATE INDEX hidden_circles_circle ON hidden_circles (circle_id);

-- Notices ----------------------------------------------------------------------------------------

ALTER TABLE outgoing_webhooks
    ADD CONSTRAINT outgoing_webhooks_case_id_fkey
    FOREIGN KEY (case_id) REFERENCES cases ON DELETE CASCADE;

CREATE INDEX outgoing_webhooks_case ON outgoing_webhooks (case_id) WHERE case_id IS NOT NULL;

-- Triggers ---------------------------------------------------------------------------------------

-- Notifies moderators of each new case. Further reports of the same thing belong to it. Moderators who want
-- mail get one in a quarter of an hour.
CREATE FUNCTION tell_moderators() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.outgoing_webhooks (kind, case_id)
    SELECT 'report', NEW.id
    WHERE (SELECT count(*) FROM (SELECT FROM public.outgoing_webhooks q
                                 WHERE q.case_id IS NOT NULL LIMIT 1000) q) < 1000;
    PERFORM FROM public.users u JOIN public.mail_addresses a ON a.user_id = u.id
    WHERE a.reports_after IS NOT NULL
    ORDER BY u.id FOR KEY SHARE OF u FOR NO KEY UPDATE OF a;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    WITH told AS (
        UPDATE public.mail_addresses a
        SET reports_after = greatest(now(), a.reports_after) + interval '15 minutes'
        FROM public.users u
        WHERE u.id = a.user_id AND a.reports_after IS NOT NULL
          AND u.role <> 'user' AND u.disabled_at IS NULL AND u.id IS DISTINCT FROM NEW.user_id
          AND NOT EXISTS (SELECT FROM public.outgoing_mail m
                          WHERE m.user_id = a.user_id AND m.kind = 'reports')
        RETURNING a.user_id, a.reports_after - interval '15 minutes' AS due_at
    )
    INSERT INTO public.outgoing_mail (kind, user_id, due_at)
    SELECT 'reports', t.user_id, t.due_at FROM told t;
    RETURN NULL;
END $$;

CREATE TRIGGER tell_moderators AFTER INSERT ON cases
    FOR EACH ROW EXECUTE FUNCTION tell_moderators();

-- When a list is saved, the row of an entry that is gone may become another entry.
CREATE FUNCTION entry_replaced() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM public.hidden_comments WHERE entry_id = OLD.id;
    RETURN NEW;
END $$;

CREATE TRIGGER entry_replaced BEFORE UPDATE OF id ON entries
    FOR EACH ROW WHEN (NEW.id <> OLD.id) EXECUTE FUNCTION entry_replaced();

-- A comment that moderators hide is hidden in every snapshot: of the same entry, whatever its
-- author has made of it since, and of another one with the same words.
CREATE FUNCTION hide_snapshot_comments() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    UPDATE public.snapshot_entries o SET hidden_by = NEW.action_id
    FROM public.snapshots s JOIN public.entries e ON e.user_id = s.user_id
    WHERE e.id = NEW.entry_id AND o.snapshot_id = s.id AND o.comment <> ''
      AND (o.entry_id = NEW.entry_id OR o.comment = NEW.comment);
    RETURN NULL;
END $$;

CREATE TRIGGER hide_snapshot_comments AFTER INSERT ON hidden_comments
    FOR EACH ROW EXECUTE FUNCTION hide_snapshot_comments();

-- Once that is undone they are shown again, unless another action hides what is said there.
CREATE FUNCTION show_snapshot_comments() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    UPDATE public.snapshot_entries o
    SET hidden_by = (SELECT max(h.action_id)
                     FROM public.hidden_comments h
                     JOIN public.entries e ON e.id = h.entry_id
                     JOIN public.snapshots s ON s.user_id = e.user_id
                     WHERE s.id = o.snapshot_id AND h.action_id <> NEW.id
                       AND (h.entry_id = o.entry_id OR h.comment = o.comment))
    WHERE o.hidden_by = NEW.id;
    RETURN NULL;
END $$;

CREATE TRIGGER show_snapshot_comments AFTER UPDATE OF undone_at ON moderation_actions
    FOR EACH ROW WHEN (OLD.undone_at IS NULL AND NEW.undone_at IS NOT NULL
                       AND NEW.action = 'hide_comment')
    EXECUTE FUNCTION show_snapshot_comments();
