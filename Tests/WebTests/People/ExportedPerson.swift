import FaveGames
import Foundation
import Postgres
import Storage
import StorageWrites
import TestSupport
import Testing

@testable import Web

/// A person with two rows of everything that the export is made from, or one where there can be no more.
/// No two times are the same.
struct ExportedPerson {
    static let tables = StoredData.all.flatMap(\.parts).flatMap { part -> [(String, Set<String>)] in
        guard case .members(let members) = part.export else { return [] }
        return part.tables.map { ($0, members) }
    }

    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
        try database.session().execute(Self.sql)
    }

    func document() async throws -> [String: Any] {
        let rob = UUID(uuidString: "00000000-0000-4000-8000-000000000001")
        let data = try await withStore(database) {
            try await $0.personalData(userID: #require(rob))
        }
        let bytes = try PersonalExport.json(
            #require(data), for: WebSettings(publicURL: "https://fave.example").addresses)
        let object = try JSONSerialization.jsonObject(with: Data(bytes))
        return try #require(object as? [String: Any])
    }

    /// What is in the person's rows of a table, by column, as the document writes it. Secrets and their
    /// digests are left out, and so is what is only true or false, which is found anywhere.
    func values(of table: String) throws -> [(column: String, value: String)] {
        let session = try database.session()
        let columns = try session.query(
            """
            SELECT column_name::text, udt_name::text FROM information_schema.columns
            WHERE table_schema = 'public' AND table_name = $1
              AND udt_name NOT IN ('bytea', '_bytea', 'tsvector', 'bool')
            """, [.text(table)]
        ).map { row in (try row[0], try row[1]) as (String, String) }
        let owner =
            ["users": "id"][table]
            ?? (columns.contains { $0.0 == "user_id" } ? "user_id" : nil)
        let condition = owner.map { "WHERE \($0) = '00000000-0000-4000-8000-000000000001'" } ?? ""
        var values: [(column: String, value: String)] = []
        for (column, type) in columns where column != owner {
            let text =
                switch type {
                case "timestamptz":
                    "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
                case "_text", "_int4": "unnest(\(column))::text"
                default: "\(column)::text"
                }
            let found: [String]? = try session.query(
                "SELECT array_agg(v) FROM (SELECT \(text) AS v FROM \(table) \(condition)) f WHERE v <> ''"
            )[0][0]
            values += (found ?? []).map { (column, $0) }
        }
        return values
    }

    private static let sql = """
        CREATE FUNCTION pg_temp.at(n integer) RETURNS timestamptz LANGUAGE sql AS
        $$ SELECT '2026-03-01 00:00:00Z'::timestamptz + n * interval '1 minute' $$;
        CREATE FUNCTION pg_temp.later(n integer) RETURNS timestamptz LANGUAGE sql AS
        $$ SELECT '2999-03-01 00:00:00Z'::timestamptz + n * interval '1 minute' $$;
        CREATE FUNCTION pg_temp.id(n integer) RETURNS uuid LANGUAGE sql AS
        $$ SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid $$;
        CREATE FUNCTION pg_temp.digest(n integer) RETURNS bytea LANGUAGE sql AS
        $$ SELECT sha256(n::text::bytea) $$;

        UPDATE games SET cover_image_id = 'co' || id;
        INSERT INTO users (id, username, display_name) VALUES
            (pg_temp.id(1), 'rob', 'Rob R.'), (pg_temp.id(2), 'ada', 'Ada'),
            (pg_temp.id(3), 'eve', 'Eve'), (pg_temp.id(4), 'zoe', 'Zoe'), (pg_temp.id(5), 'bo', 'Bo');
        INSERT INTO entries (id, user_id, position, game_id, platform_id, comment, rating, tags)
        VALUES (pg_temp.id(11), pg_temp.id(1), 1, 71, 6, 'Cake.', 5, '{puzzle,short}'),
               (pg_temp.id(12), pg_temp.id(1), 2, 120, 48, 'Hats.', 4, '{}'),
               (pg_temp.id(21), pg_temp.id(2), 1, 71, 6, 'Ada says so.', NULL, '{}'),
               (pg_temp.id(22), pg_temp.id(2), 2, 120, 48, 'And so.', NULL, '{}');
        SET session_replication_role = replica;
        UPDATE users
        SET bio = 'Plays games.', role = 'moderator', visibility = 'unlisted', created_at = pg_temp.at(1),
            disabled_at = pg_temp.at(2), next_snapshot_year = 2027, language = 'de-AT'
        WHERE username = 'rob';
        UPDATE lists SET updated_at = pg_temp.at(3) WHERE user_id = pg_temp.id(1);
        UPDATE entries
        SET created_at = pg_temp.at(3 + position), updated_at = pg_temp.at(5 + position)
        WHERE user_id = pg_temp.id(1);
        INSERT INTO former_usernames VALUES
            ('bob', pg_temp.id(1), pg_temp.at(8)), ('robert', pg_temp.id(1), pg_temp.at(9));
        INSERT INTO snapshots (id, user_id, slug, title, taken_at, place, year, size, shows_ratings)
        VALUES (pg_temp.id(41), pg_temp.id(1), '2025', 'My five', pg_temp.at(10), NULL, 2025, 2, true),
               (pg_temp.id(42), pg_temp.id(1), '2026-2', 'Mine', pg_temp.at(11), 2, NULL, 2, false);
        INSERT INTO snapshot_entries
            (snapshot_id, position, entry_id, game_id, platform_id, comment, rating, tags, hidden_by)
        VALUES (pg_temp.id(41), 1, pg_temp.id(13), 72, 6, 'Then.', 3, '{past}', NULL),
               (pg_temp.id(41), 2, pg_temp.id(11), 71, 6, 'Always.', 5, '{}', NULL),
               (pg_temp.id(42), 1, pg_temp.id(11), 71, 6, 'Was hidden.', 5, '{puzzle}', 901),
               (pg_temp.id(42), 2, pg_temp.id(12), 120, 48, 'More hats.', 4, '{hats}', NULL);
        INSERT INTO passwords (user_id, hash, changed_at)
        VALUES (pg_temp.id(1), '$scrypt$x', pg_temp.at(12));
        INSERT INTO identities (id, issuer, subject, user_id, linked_at) VALUES
            (pg_temp.id(61), 'https://id.example', 'subject-1', pg_temp.id(1), pg_temp.at(13)),
            (pg_temp.id(62), 'https://other.example', 'subject-2', pg_temp.id(1), pg_temp.at(14));
        INSERT INTO known_devices (user_id, token_hash, seen_at) VALUES
            (pg_temp.id(1), pg_temp.digest(1), pg_temp.at(15)),
            (pg_temp.id(1), pg_temp.digest(2), pg_temp.at(16));
        INSERT INTO recovery_codes (user_id, hash, made_at) VALUES
            (pg_temp.id(1), pg_temp.digest(3), pg_temp.at(17)),
            (pg_temp.id(1), pg_temp.digest(4), pg_temp.at(17));
        INSERT INTO passkeys
            (user_id, credential_id, public_key, counter, name, created_at, used_at)
        VALUES (pg_temp.id(1), pg_temp.digest(5), 'a', 0, 'My phone', pg_temp.at(18), pg_temp.at(19)),
               (pg_temp.id(1), pg_temp.digest(6), 'b', 0, 'My key', pg_temp.at(20), pg_temp.at(21));
        INSERT INTO mail_addresses (user_id, address, canonical, verified_at)
        VALUES (pg_temp.id(1), 'Rob@x.example', 'rob@x.example', pg_temp.at(22));
        INSERT INTO mail_verifications (user_id, address, canonical, expires_at)
        VALUES (pg_temp.id(1), 'New@x.example', 'new@x.example', pg_temp.later(1));
        INSERT INTO personal_tokens
            (id, user_id, token_hash, name, scopes, created_at, expires_at, used_at)
        VALUES (pg_temp.id(63), pg_temp.id(1), pg_temp.digest(7), 'My sheet', '{read,account}',
                pg_temp.at(23), pg_temp.later(2), pg_temp.at(24)),
               (pg_temp.id(64), pg_temp.id(1), pg_temp.digest(8), 'My bot', '{list:write}',
                pg_temp.at(25), pg_temp.later(3), pg_temp.at(26));
        INSERT INTO apps (id, user_id, name, address, redirects, created_at)
        VALUES (pg_temp.id(97), pg_temp.id(1), 'My app', 'https://app.example',
                '{https://app.example/in}', pg_temp.at(99));
        INSERT INTO sessions
            (id, user_id, kind, token_hash, family_hash, created_at, seen_at, expires_at, device, network,
             app_id, scopes)
        VALUES (pg_temp.id(65), pg_temp.id(1), 'browser', pg_temp.digest(9), NULL, pg_temp.at(27),
                pg_temp.at(28), pg_temp.later(4), 'Firefox', '192.0.2.0/24', NULL, NULL),
               (pg_temp.id(66), pg_temp.id(1), 'api', pg_temp.digest(10), pg_temp.digest(11),
                pg_temp.at(29), pg_temp.at(30), pg_temp.later(5), 'A script', '198.51.100.0/24',
                pg_temp.id(97), '{read,list:write}');
        INSERT INTO follows (follower_id, followed_id, followed_at) VALUES
            (pg_temp.id(1), pg_temp.id(2), pg_temp.at(31)),
            (pg_temp.id(1), pg_temp.id(3), pg_temp.at(32)),
            (pg_temp.id(3), pg_temp.id(1), pg_temp.at(33)),
            (pg_temp.id(5), pg_temp.id(1), pg_temp.at(34));
        INSERT INTO follow_feeds (user_id, token_hash, made_at)
        VALUES (pg_temp.id(1), pg_temp.digest(12), pg_temp.at(35));
        INSERT INTO blocks (blocker_id, blocked_id, blocked_at)
        VALUES (pg_temp.id(1), pg_temp.id(4), pg_temp.at(36));
        INSERT INTO hearts (entry_id, user_id, given_at) VALUES
            (pg_temp.id(21), pg_temp.id(1), pg_temp.at(37)),
            (pg_temp.id(22), pg_temp.id(1), pg_temp.at(38));
        INSERT INTO news_visits (user_id, since, seen_at)
        VALUES (pg_temp.id(1), pg_temp.at(39), pg_temp.at(40));
        INSERT INTO circles (id, slug, name, description, visibility, created_at) VALUES
            (pg_temp.id(31), 'couch-club', 'Couch Club', 'Tuesdays.', 'public', pg_temp.at(41)),
            (pg_temp.id(32), 'pub-club', 'Pub Club', 'Fridays.', 'members', pg_temp.at(42));
        INSERT INTO circle_members (id, circle_id, user_id, seat, place, owned, joined_at) VALUES
            (pg_temp.id(33), pg_temp.id(31), pg_temp.id(1), 1, 1, 1, pg_temp.at(43)),
            (pg_temp.id(34), pg_temp.id(32), pg_temp.id(1), 1, 2, NULL, pg_temp.at(44));
        INSERT INTO circle_invitations
            (id, circle_id, token_hash, uses, uses_left, created_at, expires_at)
        VALUES (pg_temp.id(35), pg_temp.id(31), pg_temp.digest(13), 50, 33, pg_temp.at(45),
                pg_temp.later(6)),
               (pg_temp.id(36), pg_temp.id(31), pg_temp.digest(14), 60, 44, pg_temp.at(46),
                pg_temp.later(7));
        INSERT INTO circle_webhooks
            (circle_id, owner_id, address, secret, made_at, sent_at, failed_at, failure, dropped,
             dropped_at)
        VALUES (pg_temp.id(31), pg_temp.id(1), 'https://hooks.example/x', pg_temp.digest(15),
                pg_temp.at(47), pg_temp.at(48), pg_temp.at(49), 'It timed out.', 77, pg_temp.at(50));
        INSERT INTO invitations (id, token_hash, user_id, uses, uses_left, created_at, expires_at)
        VALUES (pg_temp.id(67), pg_temp.digest(16), pg_temp.id(1), 20, 11, pg_temp.at(51),
                pg_temp.later(8)),
               (pg_temp.id(68), pg_temp.digest(17), pg_temp.id(1), 30, 22, pg_temp.at(52),
                pg_temp.later(9));
        INSERT INTO cases (id, kind, user_id) OVERRIDING SYSTEM VALUE VALUES
            (801, 'list', pg_temp.id(2)), (802, 'list', pg_temp.id(4));
        INSERT INTO reports (case_id, reporter, reporter_id, reason, note, made_at) VALUES
            (801, 'x', pg_temp.id(1), 'spam', 'It is full of ads.', pg_temp.at(53)),
            (802, 'x', pg_temp.id(1), 'abuse', 'It insults people.', pg_temp.at(54));
        INSERT INTO moderation_actions (id, done_at, action, user_id, entry_id, reason, until, undone_at)
        OVERRIDING SYSTEM VALUE VALUES
            (901, pg_temp.at(55), 'hide_comment', pg_temp.id(1), pg_temp.id(11), 'Rude.', NULL, NULL),
            (902, pg_temp.at(56), 'hide_circle', pg_temp.id(1), NULL, 'Vile.', NULL, pg_temp.at(57)),
            (903, pg_temp.at(58), 'suspend', pg_temp.id(1), NULL, 'Spam.', pg_temp.at(59), NULL);
        INSERT INTO hidden_comments (action_id, entry_id, game_id, comment)
        VALUES (901, pg_temp.id(11), 71, 'Hidden words.');
        INSERT INTO hidden_circles (action_id, circle_id, slug, name, description)
        VALUES (902, pg_temp.id(31), 'vile-club', 'Vile Club', 'Vile words.');
        INSERT INTO imports
            (id, user_id, file_name, state, row_count, done_count, suggested_count, made_at)
        VALUES (pg_temp.id(69), pg_temp.id(1), 'games.csv', 'done', 3, 2, 1,
                date_trunc('minute', now()) - interval '1 day');
        INSERT INTO import_rows
            (import_id, place, line, name, named_id, has_igdbs_id, named_platforms, platform_ids,
             release_year, score, rating, comment, tags, shelf, dated, finding, game_id,
             platform_id, candidates)
        VALUES (pg_temp.id(69), 1, 1001, 'Portal (file)', 70071, true, 'PC (file)', '{6}', 2007, '4.5', 4,
                'Cake (file).', 'co-op', 'Played', '2011-04-19', 'found', 71, 6, 1),
               (pg_temp.id(69), 2, 1002, 'Hats (file)', 70120, false, 'PS4 (file)', '{48}', 2009, '2.5',
                2, 'Hats (file).', 'cosy', 'Wanted', '2012-05-20', 'duplicate', 120, 48, 1);
        SET session_replication_role = origin
        """
}
