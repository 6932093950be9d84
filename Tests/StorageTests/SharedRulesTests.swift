import FaveGames
import Foundation
import Outbox
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("What both the program and the schema say", .blocking)
struct SharedRulesTests {
    private let database: TestDatabase

    init() throws { database = try TestDatabase(.migrated) }

    private static let limits: [(constraint: String, numbers: [Int])] = [
        ("entries_position_check", [1, FaveList.limit]),
        ("entries_comment_check", [Comment.limit]),
        ("entries_rating_check", [Rating.range.lowerBound, Rating.range.upperBound]),
        // Its pattern begins with [a-z0-9_-].
        ("users_username_check", [0, 9, Username.lengths.lowerBound, Username.lengths.upperBound]),
        ("users_display_name_check", [DisplayName.limit]),
        ("users_bio_check", [Bio.limit]),
        ("snapshots_place_check", [1, Snapshot.limit]),
        ("snapshots_title_check", [SnapshotTitle.limit]),
        ("snapshots_size_check", [1, FaveList.limit]),
        ("snapshot_entries_comment_check", [Comment.limit]),
        ("snapshot_entries_rating_check", [Rating.range.lowerBound, Rating.range.upperBound]),
        ("circle_members_seat_check", [1, Circle.memberLimit]),
        ("circle_members_place_check", [1, Circle.joinedLimit]),
        ("circle_members_owned_check", [1, Circle.ownedLimit]),
        (
            "circle_invitations_uses_check",
            [Invitations.uses.lowerBound, Invitations.uses.upperBound]
        ),
        ("circles_name_check", [1, CircleName.limit]),
        ("circles_description_check", [CircleDescription.limit]),
        ("circle_webhooks_address_check", [WebhookAddress.limit]),
        ("personal_tokens_name_check", [1, TokenName.limit]),
        ("passkeys_name_check", [1, TokenName.limit]),
        ("mail_addresses_address_check", [3, MailAddress.limit]),
        ("mail_verifications_address_check", [3, MailAddress.limit]),
        ("reports_note_check", [ModerationNote.limit]),
        ("moderation_actions_reason_check", [ModerationNote.limit]),
        ("maintenance_mode_message_check", [1, MaintenanceMessage.limit]),
        ("drafts_form_check", [Store.draftLimit]),
        ("imports_row_count_check", [1, ImportedRow.limit]),
        ("import_rows_place_check", [1, ImportedRow.limit]),
        ("import_rows_name_check", [ImportedRow.textLimit]),
        ("import_rows_named_platforms_check", [ImportedRow.textLimit]),
        ("import_rows_tags_check", [ImportedRow.textLimit]),
        ("import_rows_shelf_check", [ImportedRow.textLimit]),
        ("import_rows_comment_check", [Comment.limit]),
        ("import_rows_rating_check", [Rating.range.lowerBound, Rating.range.upperBound]),
    ]

    @Test("are the same limits of constraints")
    func constraints() throws {
        let session = try database.session()
        for (constraint, numbers) in Self.limits {
            let definition: String = try session.query(
                "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = $1",
                [.text(constraint)])[0][0]
            let found = definition.matches(of: /\d+/).compactMap { Int($0.0) }
            #expect(found == numbers, "\(constraint): \(definition)")
        }
    }

    @Test("are the same limits of functions")
    func functions() throws {
        let session = try database.session()
        for (function, phrases) in [
            ("are_tags", ["cardinality($1) <= \(Tags.limit)", "char_length(tag) <= \(Tag.limit)"]),
            ("check_follows", ["count(*) > \(Following.limit)"]),
            ("apply_blocks", ["count(*) > \(Blocking.limit)"]),
            ("take_snapshot", ["generate_series(1, \(Snapshot.limit))"]),
            ("keep_owners", ["< \(Circle.ownedLimit)"]),
            (
                "weigh_hearts",
                [
                    "interval '\(Agreement.leastAge) days'", "hearts >= \(Agreement.leastHearts)",
                    ">= \(Agreement.leastGames)\n",
                ]
            ),
        ] {
            let source: String = try session.query(
                "SELECT prosrc FROM pg_proc WHERE proname = $1", [.text(function)])[0][0]
            for phrase in phrases { #expect(source.contains(phrase), "\(function)") }
        }
    }

    @Test("agree about who may see a list")
    func audience() async throws {
        let ids: [UUID] = try database.session().query(
            """
            INSERT INTO users (username, display_name, visibility, disabled_at, new_until)
            SELECT 'user-' || row_number() OVER (), 'Someone', visibility,
                   CASE WHEN is_disabled THEN now() END,
                   CASE WHEN is_new THEN now() + interval '1 day' END
            FROM unnest('{public,unlisted,private}'::text[]) visibility,
                 unnest('{true,false}'::boolean[]) is_disabled, unnest('{true,false}'::boolean[]) is_new
            RETURNING id
            """
        ).map { try $0[0] }
        #expect(ids.count == 12)
        try await withStore(database) { [database] store in
            let session = try database.session()
            for id in ids {
                let user = try #require(try await store.user(id: id))
                let row = try session.query(
                    """
                    SELECT l.audience, \(Users.arePublic), \(Users.isVisible)
                    FROM users u JOIN lists l ON l.user_id = u.id WHERE u.id = $1
                    """, [.uuid(id), .uuid(nil)])[0]
                let (audience, isPublic): (String, Bool) = (try row[0], try row[1])
                // NULL if it depends on who asks.
                let seenByAnyone: Bool? = try row[2]
                let isVisible = seenByAnyone ?? false
                let isShown = user.isPublic && !user.isDisabled
                #expect(isPublic == isShown, "\(user)")
                #expect((audience == "public") == isShown, "\(user)")
                #expect((audience != "hidden") == isVisible, "\(user)")
                let found = try await store.user(username: user.username, seenBy: nil)
                #expect((found != nil) == isVisible, "\(user)")
            }
        }
    }

    @Test("agree about who may decide on reports of whom")
    func decisions() throws {
        let session = try database.session()
        for moderator in Role.allCases {
            for subject in Role.allCases {
                let mayDecide: Bool = try session.query(
                    """
                    SELECT \(Moderation.mayDecide)
                    FROM (VALUES (1, $1, NULL::timestamptz)) m (id, role, disabled_at),
                         (VALUES (2, $2)) u (id, role)
                    """, [.text(moderator.rawValue), .text(subject.rawValue)])[0][0]
                #expect(
                    mayDecide
                        == (moderator.mayModerate && (subject == .user || moderator == .admin)))
            }
        }
    }

    /// A temporary table, or a schema that comes first in someone's search path, would get what was meant
    /// for ours. What PostgreSQL binds when a function is defined needs no schema.
    @Test("are about tables and functions in the schema public, whatever a session's path is")
    func schemas() throws {
        let unqualified: [String] = try database.session().query(
            """
            WITH ours AS (
                SELECT proname, prosqlbody IS NOT NULL AS is_bound,
                       regexp_replace(prosrc, '--[^\n]*', '', 'g') AS body
                FROM pg_proc p
                WHERE pronamespace = 'public'::regnamespace
                  AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND deptype = 'e')
            )
            SELECT coalesce(array_agg(o.proname || ' names ' || n.name), '{}')
            FROM ours o, (
                SELECT relname::text,
                       '\\m(FROM|JOIN|INTO|UPDATE|USING|TRUNCATE|TABLE) +' || relname || '\\M'
                FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
                UNION ALL
                SELECT proname || '()', '(^|[^.\\w])' || proname || '\\(' FROM ours
            ) n (name, pattern)
            WHERE NOT o.is_bound AND o.body ~ n.pattern AND n.name <> o.proname || '()'
            """)[0][0]
        #expect(unqualified == [])
    }

    @Test("agree on what moderators can take from a circle: every text that people write in it")
    func hiddenCircles() throws {
        let columns: [String] = try database.session().query(
            """
            SELECT table_name || '.' || column_name FROM information_schema.columns
            WHERE table_name IN ('circles', 'hidden_circles') AND data_type = 'text'
              AND column_name <> 'visibility'
            """
        ).map { row in try row[0] }
        let written = columns.filter { $0.hasPrefix("circles.") }
            .map { $0.dropFirst("circles.".count) }
        #expect(written.contains("name"))
        for column in written {
            #expect(columns.contains("hidden_circles.\(column)"), "\(column)")
        }
    }
}
