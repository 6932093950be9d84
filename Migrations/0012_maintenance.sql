-- When work that is done from time to time was last begun and done, so that one process of many does
-- it, and monitors notice if it is not done.
-- oldest-server: 11
CREATE TABLE maintenance (
    task         text        PRIMARY KEY,
    -- A process that begins a task takes its turn. The others wait for the task's period to end.
    begun_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    succeeded_at timestamptz
);
