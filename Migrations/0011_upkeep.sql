-- Upkeep: what servers tell each other, so that of many one does a task, and that a request that is
-- sent again is not done again.

CREATE TABLE maintenance (
    task         text        PRIMARY KEY,
    begun_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    succeeded_at timestamptz
);

COMMENT ON TABLE maintenance IS
    'When work that is done from time to time was last begun and done, so that one server of many '
    'does it, and monitoring notices if it is not done';
COMMENT ON COLUMN maintenance.begun_at IS
    'A server that begins a task takes its turn. The others wait for the task''s period to end';

CREATE TABLE maintenance_mode (
    is_on    boolean     PRIMARY KEY DEFAULT true CHECK (is_on),
    message  text        NOT NULL CHECK (char_length(message) BETWEEN 1 AND 300),
    begun_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

COMMENT ON TABLE maintenance_mode IS
    'What all servers tell people while they can only read: one row, or none if they can write. The '
    'program keeps to it, and the database doesn''t';

-- Ends waits that are longer than any that the program asks for: the clock was wrong when they began, or
-- is now.
CREATE FUNCTION end_endless_waits() RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    waiting record;
BEGIN
    FOR waiting IN
        SELECT * FROM (VALUES ('heart_counts', 'weigh_at', '7 hours'),
                              ('outgoing_mail', 'due_at', '2 hours'),
                              ('outgoing_webhooks', 'due_at', '2 days'),
                              ('mail_addresses', 'reports_after', '1 hour'),
                              ('attempts', 'empty_at', '2 days')) w (rows, ends_at, longest)
    LOOP
        EXECUTE format(
            'UPDATE public.%1$I SET %2$I = now() WHERE ctid = ANY (ARRAY(
                 SELECT ctid FROM public.%1$I WHERE %2$I > now() + %3$L::interval
                 LIMIT 1000 FOR NO KEY UPDATE SKIP LOCKED))',
            waiting.rows, waiting.ends_at, waiting.longest);
    END LOOP;
END $$;

CREATE TABLE idempotency_records (
    key_hash    bytea       PRIMARY KEY CHECK (octet_length(key_hash) = 32),
    fingerprint bytea       NOT NULL CHECK (octet_length(fingerprint) = 32),
    user_id     uuid        REFERENCES users ON DELETE CASCADE,
    network     bytea       CHECK (octet_length(network) = 32),
    response    bytea       NOT NULL CHECK (octet_length(response) <= 1048576),
    made_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK (num_nonnulls(user_id, network) = 1)
);

COMMENT ON TABLE idempotency_records IS
    'The responses to requests with an Idempotency-Key: stored for a day, of each user the latest '
    'hundred, and of each network of people without an account the latest thousand';
COMMENT ON COLUMN idempotency_records.key_hash IS 'A digest of the key and the user';
COMMENT ON COLUMN idempotency_records.fingerprint IS
    'A digest of the request: no password that was sent with it is stored';
COMMENT ON COLUMN idempotency_records.network IS
    'A digest, made with a key of the server, of the address that the request came from, if no user '
    'sent it';
COMMENT ON COLUMN idempotency_records.response IS
    'Encrypted with the client''s key, which is not stored: the response may contain a secret';

CREATE INDEX idempotency_records_user ON idempotency_records (user_id, made_at DESC);
CREATE INDEX idempotency_records_network ON idempotency_records (network, made_at DESC);
CREATE INDEX idempotency_records_age ON idempotency_records (made_at);
