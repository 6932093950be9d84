-- People see on what, and roughly from where, they are signed in.
-- oldest-server: 12
ALTER TABLE sessions
    -- The browser and its system, or the program, in words: "Firefox on Linux". NULL if it did not say.
    ADD COLUMN device  text CHECK (char_length(device) BETWEEN 1 AND 80),
    -- The network that the session was opened from, without its last part. NULL if it is not known.
    ADD COLUMN network cidr;
