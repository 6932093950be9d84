import FaveGames
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Storage
@testable import StorageWrites

@Suite("A circle", .blocking)
struct CircleTests {
    private let database: TestDatabase
    private let name: CircleName

    init() throws {
        database = try TestDatabase()
        name = try #require(CircleName("Club"))
    }

    private static func hash(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array(repeating: 0, count: 24) + Array($0) }
    }

    /// A circle of rob's, with other members in this order.
    @discardableResult
    private func makeCircle(
        _ store: Store, of owner: UUID, _ visibility: CircleVisibility = .public,
        members: [UUID] = []
    ) async throws -> UUID {
        let id = try await store.makeCircle(
            of: owner, name: name, description: .empty, visibility: visibility)
        for member in members { try add(member, to: id) }
        return id
    }

    private func add(_ member: UUID, to circle: UUID) throws {
        try database.session().query(
            "SELECT add_circle_member($1, $2, false)", [.uuid(circle), .uuid(member)])
    }

    @Test("that is reported by many at once has one case, which goes on without the circle")
    func reports() async throws {
        let rob = try database.makeUser("rob")
        let people = try makeUsers(6)
        try await withStore(database, connections: 6) { store async throws in
            let circle = try await makeCircle(store, of: rob)
            try await withThrowingTaskGroup { group in
                for person in people {
                    group.addTask { () async throws in
                        #expect(
                            try await store.report(
                                .circle(circle), by: person.uuidString, reporterID: person,
                                reason: .spam, note: .empty))
                    }
                }
                try await group.waitForAll()
            }
            #expect(try count("cases WHERE circle_id IS NOT NULL") == 1)
            #expect(try count("reports") == people.count)
            try await store.deleteCircle(id: circle, by: rob)
            let open = try await store.openCases(after: 0, for: nil)
            #expect(open.map(\.kind) == [.circle] && open[0].circle == nil)
            #expect(open[0].reported.hasPrefix("Club, /circles/club"))
            #expect(
                try await store.decide(
                    caseID: open[0].id, .hideCircle, reason: .empty, by: nil) == .nothingToDo)
            #expect(
                try await store.report(
                    .circle(circle), by: "x", reporterID: nil, reason: .spam, note: .empty) == false
            )
        }
    }

    private func makeUsers(_ count: Int, _ prefix: String = "user") throws -> [UUID] {
        try (0..<count).map { try database.makeUser("\(prefix)-\($0)") }
    }

    private func count(_ what: String) throws -> Int {
        try database.session().query("SELECT count(*) FROM \(what)")[0][0]
    }

    /// Circles without exactly one owner, or with two members in one seat.
    private func broken() throws -> Int {
        try count(
            """
            circles c WHERE (SELECT count(owned) FROM circle_members WHERE circle_id = c.id) <> 1
            """)
    }

    private func owner(of circle: UUID) throws -> UUID? {
        let rows = try database.session().query(
            "SELECT user_id FROM circle_members WHERE circle_id = $1 AND owned IS NOT NULL",
            [.uuid(circle)])
        return try rows.first.map { try $0[0] }
    }

    // MARK: Limits

    @Test("has a hundred members at most, however many join at once")
    func seats() async throws {
        let rob = try database.makeUser("rob")
        let others = try makeUsers(97)
        let late = try makeUsers(8, "late")
        let database = database
        let circle = try await withStore(database) { store async throws in
            let circle = try await makeCircle(store, of: rob, members: others)
            _ = try await store.makeInvitation(
                toCircle: circle, by: rob, tokenHash: Self.hash(1), uses: 100, days: 1)
            return circle
        }
        let (joined, refused) = (Counter(), Counter())
        try await withStores(8, database, connections: 1) { index, store in
            do {
                _ = try await store.joinCircle(tokenHash: Self.hash(1), by: late[index])
                joined.increment()
            } catch CircleError.full {
                refused.increment()
            }
        }
        #expect(joined.value == 2)
        #expect(refused.value == 6)
        #expect(try count("circle_members WHERE circle_id = '\(circle)'") == 100)
        // What was not used is not lost.
        #expect(try count("circle_invitations WHERE uses_left = 98") == 1)
        #expect(try broken() == 0)
    }

    @Test("is let into by a link as often as the link says, however many open it at once")
    func lastUse() async throws {
        let rob = try database.makeUser("rob")
        let others = try makeUsers(12)
        let database = database
        let circle = try await withStore(database) { try await makeCircle($0, of: rob) }
        for round in 0..<3 {
            try await withStore(database) { store in
                _ = try await store.makeInvitation(
                    toCircle: circle, by: rob, tokenHash: Self.hash(round), uses: 1, days: 1)
            }
            let (joined, refused) = (Counter(), Counter())
            try await withStores(4, database, connections: 1) { index, store in
                do {
                    _ = try await store.joinCircle(
                        tokenHash: Self.hash(round), by: others[round * 4 + index])
                    joined.increment()
                } catch CircleError.invitationInvalid {
                    refused.increment()
                }
            }
            #expect(joined.value == 1)
            #expect(refused.value == 3)
        }
        #expect(try count("circle_members") == 4)
        #expect(try count("circle_invitations WHERE uses_left = 0") == 3)
        #expect(throws: PostgresError.self) {
            try database.session().execute("UPDATE circle_invitations SET uses_left = -1")
        }
    }

    @Test("is one of twenty that someone owns, and of fifty that they are in")
    func places() async throws {
        let rob = try database.makeUser("rob")
        let database = database
        try await withStore(database) { store in
            for _ in 0..<19 { try await makeCircle(store, of: rob) }
        }
        let (made, refused) = (Counter(), Counter())
        try await withStores(4, database, connections: 1) { _, store in
            do {
                try await makeCircle(store, of: rob)
                made.increment()
            } catch CircleError.tooManyOwned {
                refused.increment()
            }
        }
        #expect(made.value == 1)
        #expect(refused.value == 3)
        #expect(try count("circles") == 20)

        // 29 more, and then four at once for the last place.
        let owners = try makeUsers(33, "owner")
        let circles = try await withStore(database) { store async throws in
            var circles: [UUID] = []
            for owner in owners {
                let circle = try await makeCircle(store, of: owner)
                circles.append(circle)
                if circles.count <= 29 { try add(rob, to: circle) }
                _ = try await store.makeInvitation(
                    toCircle: circle, by: owner, tokenHash: Self.hash(circles.count), uses: 1,
                    days: 1)
            }
            return circles
        }
        #expect(circles.count == 33)
        let (joined, full) = (Counter(), Counter())
        try await withStores(4, database, connections: 1) { index, store in
            do {
                _ = try await store.joinCircle(tokenHash: Self.hash(30 + index), by: rob)
                joined.increment()
            } catch CircleError.tooManyJoined {
                full.increment()
            }
        }
        #expect(joined.value == 1)
        #expect(full.value == 3)
        #expect(try count("circle_members WHERE user_id = '\(rob)'") == 50)
        // Nor can anyone hand over one more to someone who owns twenty.
        let theirs = circles[0]
        let membership: UUID = try database.session().query(
            "SELECT id FROM circle_members WHERE circle_id = $1 AND user_id = $2",
            [.uuid(theirs), .uuid(rob)])[0][0]
        _ = try await withStore(database) { store in
            await #expect(throws: CircleError.memberOwnsTooMany) {
                try await store.handOver(circle: theirs, by: owners[0], to: membership)
            }
        }
        #expect(try owner(of: theirs) == owners[0])
        #expect(try broken() == 0)
    }

    @Test("has an address of its own, however many of one name are made at once")
    func addresses() async throws {
        let users = try makeUsers(16)
        let database = database
        try await withStores(8, database, connections: 1) { index, store in
            for user in users[(index * 2)..<(index * 2 + 2)] {
                try await makeCircle(store, of: user)
            }
        }
        let slugs: [String] = try database.session().query(
            "SELECT array_agg(slug ORDER BY slug) FROM circles")[0][0]
        #expect(Set(slugs).count == 16)
        let numbered = ["club"] + (2...9).map { "club-\($0)" }
        #expect(Set(numbered).isSubset(of: slugs))
        for slug in Set(slugs).subtracting(numbered) {
            #expect(slug.wholeMatch(of: /club-[0-9a-f]{8}/) != nil, "\(slug)")
            #expect(CircleSlug(slug)?.description == slug)
        }
        #expect(throws: PostgresError.self) {
            try database.session().execute("UPDATE circles SET slug = 'club'")
        }
    }

    @Test("has twenty open links at most, of its owner's only")
    func links() async throws {
        let rob = try database.makeUser("rob")
        let eve = try database.makeUser("eve")
        try await withStore(database) { store in
            let circle = try await makeCircle(store, of: rob, members: [eve])
            for number in 0..<20 {
                _ = try await store.makeInvitation(
                    toCircle: circle, by: rob, tokenHash: Self.hash(number), uses: 1, days: 1)
            }
            await #expect(throws: CircleError.tooManyInvitations) {
                _ = try await store.makeInvitation(
                    toCircle: circle, by: rob, tokenHash: Self.hash(99), uses: 1, days: 1)
            }
            await #expect(throws: CircleError.notFound) {
                _ = try await store.makeInvitation(
                    toCircle: circle, by: eve, tokenHash: Self.hash(99), uses: 1, days: 1)
            }
            #expect(try await store.invitations(toCircle: circle, by: eve).isEmpty)
            let first = try await store.invitations(toCircle: circle, by: rob)[0].id
            try await store.revokeInvitation(first, toCircle: circle, by: eve)
            #expect(try await store.invitations(toCircle: circle, by: rob).count == 20)
            try await store.revokeInvitation(first, toCircle: circle, by: rob)
            #expect(try await store.invitations(toCircle: circle, by: rob).count == 19)
        }
    }

    // MARK: Coming and going

    @Test("is joined once, left at will, and not left by its owner")
    func leaving() async throws {
        let rob = try database.makeUser("rob")
        let ada = try database.makeUser("ada")
        try await withStore(database) { store in
            let circle = try await makeCircle(store, of: rob)
            _ = try await store.makeInvitation(
                toCircle: circle, by: rob, tokenHash: Self.hash(1), uses: 5, days: 1)
            for _ in 0..<3 {
                #expect(try await store.joinCircle(tokenHash: Self.hash(1), by: ada) == circle)
            }
            #expect(try await store.invitations(toCircle: circle, by: rob)[0].usesLeft == 4)
            await #expect(throws: CircleError.ownerMustStay) {
                try await store.leaveCircle(id: circle, by: rob)
            }
            try await store.leaveCircle(id: circle, by: ada)
            try await store.leaveCircle(id: circle, by: ada)
            #expect(try await store.circles(of: ada).isEmpty)
            #expect(try await store.circle(id: circle, seenBy: rob)?.members.count == 1)
            _ = try await store.joinCircle(tokenHash: Self.hash(1), by: ada)
            #expect(try await store.circles(of: ada).map(\.role) == [.member])
        }
    }

    @Test("keeps out whom its owner has removed, also with an old link")
    func removal() async throws {
        let rob = try database.makeUser("rob")
        let eve = try database.makeUser("eve")
        try await withStore(database) { store in
            let circle = try await makeCircle(store, of: rob)
            _ = try await store.makeInvitation(
                toCircle: circle, by: rob, tokenHash: Self.hash(1), uses: 5, days: 1)
            _ = try await store.joinCircle(tokenHash: Self.hash(1), by: eve)
            let view = try #require(await store.circle(id: circle, seenBy: rob))
            let member = try #require(view.members.last?.id)
            await #expect(throws: CircleError.noSuchMember) {
                try await store.removeMember(member, ofCircle: circle, by: eve)
            }
            await #expect(throws: CircleError.noSuchMember) {
                try await store.removeMember(view.members[0].id, ofCircle: circle, by: rob)
            }
            try await store.removeMember(member, ofCircle: circle, by: rob)
            #expect(try await store.circle(id: circle, seenBy: rob)?.members.count == 1)
            await #expect(throws: CircleError.invitationInvalid) {
                _ = try await store.joinCircle(tokenHash: Self.hash(1), by: eve)
            }
            #expect(
                try await store.circleOffer(tokenHash: Self.hash(1), for: nil) == nil)
            // The owner may think better of it.
            _ = try await store.makeInvitation(
                toCircle: circle, by: rob, tokenHash: Self.hash(2), uses: 5, days: 1)
            _ = try await store.joinCircle(tokenHash: Self.hash(2), by: eve)
        }
    }

    @Test("lets nobody in by a link that has expired, or whose owner is suspended")
    func invalid() async throws {
        let rob = try database.makeUser("rob")
        let ada = try database.makeUser("ada")
        let database = database
        try await withStore(database) { store in
            let circle = try await makeCircle(store, of: rob)
            _ = try await store.makeInvitation(
                toCircle: circle, by: rob, tokenHash: Self.hash(1), uses: 5, days: 1)
            func expectInvalid() async throws {
                #expect(try await store.circleOffer(tokenHash: Self.hash(1), for: nil) == nil)
                await #expect(throws: CircleError.invitationInvalid) {
                    _ = try await store.joinCircle(tokenHash: Self.hash(1), by: ada)
                }
            }
            try database.setDisabled(true, rob)
            try await expectInvalid()
            await #expect(throws: CircleError.notFound) {
                _ = try await store.makeInvitation(
                    toCircle: circle, by: rob, tokenHash: Self.hash(2), uses: 5, days: 1)
            }
            // The circle isn't shown, but stays.
            #expect(try await store.circle(id: circle, seenBy: nil) == nil)
            try database.setDisabled(false, rob)
            #expect(try await store.circle(id: circle, seenBy: nil) != nil)
            try database.session().execute("UPDATE users SET new_until = now() + interval '1 day'")
            #expect(try await store.circle(id: circle, seenBy: nil) == nil)
            #expect(try await store.circle(id: circle, seenBy: rob) != nil)
            try database.session().execute("UPDATE users SET new_until = NULL")
            #expect(try await store.circleOffer(tokenHash: Self.hash(1), for: nil) != nil)
            try database.session().execute("UPDATE circle_invitations SET expires_at = now()")
            try await expectInvalid()
            #expect(try count("circle_members") == 1)
        }
    }

    @Test("is deleted or joined, but not both halfway", arguments: 0..<6)
    func joinAndDelete(round: Int) async throws {
        let rob = try database.makeUser("rob")
        let others = try makeUsers(3)
        let database = database
        let circle = try await withStore(database) { store async throws in
            let circle = try await makeCircle(store, of: rob)
            _ = try await store.makeInvitation(
                toCircle: circle, by: rob, tokenHash: Self.hash(1), uses: 5, days: 1)
            return circle
        }
        try await withStores(4, database, connections: 1) { index, store in
            if index == round % 4 {
                try await store.deleteCircle(id: circle, by: rob)
            } else {
                let user = others[index < round % 4 ? index : index - 1]
                do {
                    _ = try await store.joinCircle(tokenHash: Self.hash(1), by: user)
                } catch CircleError.invitationInvalid {}
            }
        }
        for table in ["circles", "circle_members", "circle_invitations"] {
            #expect(try count(table) == 0)
        }
    }

    // MARK: Owners

    @Test("passes to whoever has been a member for longest when its owner's account is deleted")
    func heirs() async throws {
        let rob = try database.makeUser("rob")
        let (ada, bob, cyd) = (
            try database.makeUser("ada"), try database.makeUser("bob"),
            try database.makeUser("cyd")
        )
        let database = database
        try await withStore(database) { store in
            let circle = try await makeCircle(store, of: rob, members: [ada, bob, cyd])
            let lonely = try await makeCircle(store, of: rob)
            _ = try await store.makeInvitation(
                toCircle: circle, by: rob, tokenHash: Self.hash(1), uses: 5, days: 1)
            // Ada came first, but is suspended.
            try database.setDisabled(true, ada)
            #expect(try await store.deleteUser(id: rob))
            #expect(try owner(of: circle) == bob)
            #expect(try await store.circle(id: lonely, seenBy: nil) == nil)
            #expect(try await store.circleOffer(tokenHash: Self.hash(1), for: nil) == nil)
            // An operator's deletion does the same. Then only ada is left.
            try await store.deleteAccount(userID: cyd)
            try await store.deleteAccount(userID: bob)
            #expect(try owner(of: circle) == ada)
            try await store.deleteAccount(userID: ada)
            #expect(try count("circles") == 0)
        }
    }

    @Test(
        "is left by those who are apart from the one it passes to",
        arguments: ["given", "inherited"])
    func apart(how: String) async throws {
        let (rob, ada) = (try database.makeUser("rob"), try database.makeUser("ada"))
        let others = try makeUsers(3)
        try await withStore(database) { store in
            let circle = try await makeCircle(store, of: rob, members: [ada] + others)
            try await store.setWebhook(
                ofCircle: circle, by: rob, address: "https://x.org/",
                secret: Array(repeating: 1, count: 32))
            #expect(try await store.block(username: "user-0", as: ada))
            #expect(try await store.block(username: "ada", as: others[1]))
            #expect(try count("circle_members") == 5)
            if how == "given" {
                let view = try #require(await store.circle(id: circle, seenBy: rob))
                try await store.handOver(circle: circle, by: rob, to: view.members[1].id)
                try await store.leaveCircle(id: circle, by: rob)
            } else {
                #expect(try await store.deleteUser(id: rob))
            }
            #expect(try owner(of: circle) == ada)
            #expect(try count("circle_members WHERE user_id <> '\(others[2])'") == 1)
            #expect(try count("circle_members") == 2)
            // The new owner's webhook isn't told what happened under the last one.
            #expect(try count("circle_webhooks") == 0)
            #expect(try count("outgoing_webhooks") == 0)
        }
        #expect(try broken() == 0)
    }

    @Test(
        "passes to no one together with someone apart from them, whatever comes first",
        arguments: 0..<10)
    func apartAtOnce(round: Int) async throws {
        let people = try makeUsers(3)
        try await withStore(database, connections: 4) { store in
            let circle = try await makeCircle(
                store, of: people[0], members: [people[1], people[2]])
            let view = try #require(await store.circle(id: circle, seenBy: people[0]))
            async let blocked = store.block(
                username: "user-\(round % 4 < 2 ? 2 : 1)", as: people[round % 4 < 2 ? 1 : 2])
            if round.isMultiple(of: 2) {
                try await store.handOver(
                    circle: circle, by: people[0], to: view.members[1].id)
            } else {
                #expect(try await store.deleteUser(id: people[0]))
            }
            #expect(try await blocked)
            #expect(try owner(of: circle) == people[1])
            #expect(try count("circle_members WHERE user_id = '\(people[2])'") == 0)
        }
    }

    @Test("passes over those who own as many as anyone can")
    func heirWithTooMany() async throws {
        let (rob, ada, bob) = (
            try database.makeUser("rob"), try database.makeUser("ada"),
            try database.makeUser("bob")
        )
        try await withStore(database) { store in
            for _ in 0..<20 { try await makeCircle(store, of: ada) }
            let first = try await makeCircle(store, of: rob, members: [ada, bob])
            let second = try await makeCircle(store, of: rob, members: [ada])
            #expect(try await store.deleteUser(id: rob))
            #expect(try owner(of: first) == bob)
            #expect(try await store.circle(id: second, seenBy: ada) == nil)
            #expect(try broken() == 0)
        }
    }

    @Test("keeps one owner while its owner's account is deleted and others join", arguments: 0..<6)
    func deletionAndJoins(round: Int) async throws {
        let rob = try database.makeUser("rob")
        let others = try makeUsers(3)
        let database = database
        let circle = try await withStore(database) { store async throws in
            let circle = try await makeCircle(store, of: rob)
            _ = try await store.makeInvitation(
                toCircle: circle, by: rob, tokenHash: Self.hash(1), uses: 5, days: 1)
            return circle
        }
        let joined = Counter()
        try await withStores(4, database, connections: 1) { index, store in
            if index == round % 4 {
                #expect(try await store.deleteUser(id: rob))
            } else {
                let user = others[index < round % 4 ? index : index - 1]
                do {
                    _ = try await store.joinCircle(tokenHash: Self.hash(1), by: user)
                    joined.increment()
                } catch CircleError.invitationInvalid {}
            }
        }
        #expect(try broken() == 0)
        #expect(try count("circle_members") == joined.value)
        #expect(try count("circles") == (joined.value > 0 ? 1 : 0))
        if joined.value > 0 { #expect(try owner(of: circle).map(others.contains) == true) }
    }

    @Test("has one owner when several members leave, are chosen and deleted at once")
    func turmoil() async throws {
        let rob = try database.makeUser("rob")
        let others = try makeUsers(6)
        let database = database
        let (circle, members) = try await withStore(database) { store async throws in
            let circle = try await makeCircle(store, of: rob, members: others)
            let view = try #require(await store.circle(id: circle, seenBy: rob))
            return (circle, view.members.dropFirst().map(\.id))
        }
        try await withStores(6, database, connections: 1) { index, store in
            do {
                switch index {
                case 0: try await store.handOver(circle: circle, by: rob, to: members[1])
                case 1: try await store.handOver(circle: circle, by: rob, to: members[2])
                case 2: _ = try await store.deleteUser(id: others[1])
                case 3: try await store.leaveCircle(id: circle, by: others[2])
                case 4: try await store.removeMember(members[3], ofCircle: circle, by: rob)
                default: _ = try await store.deleteUser(id: rob)
                }
            } catch is CircleError {}
        }
        #expect(try broken() == 0)
        #expect(try count("circles") == 1)
    }

    @Test("is handed over to a member who isn't suspended, whose links are their own")
    func handOver() async throws {
        let (rob, ada, eve) = (
            try database.makeUser("rob"), try database.makeUser("ada"),
            try database.makeUser("eve")
        )
        let database = database
        try await withStore(database) { store in
            let circle = try await makeCircle(store, of: rob, members: [ada, eve])
            let other = try await makeCircle(store, of: eve)
            let view = try #require(await store.circle(id: circle, seenBy: rob))
            let (own, first) = (view.members[0].id, view.members[1].id)
            _ = try await store.makeInvitation(
                toCircle: circle, by: rob, tokenHash: Self.hash(1), uses: 5, days: 1)
            func expectRefusal(_ circle: UUID, by user: UUID, to member: UUID) async {
                await #expect(throws: CircleError.noSuchMember) {
                    try await store.handOver(circle: circle, by: user, to: member)
                }
            }
            await expectRefusal(circle, by: eve, to: first)
            await expectRefusal(circle, by: rob, to: own)
            await expectRefusal(other, by: eve, to: first)
            try database.setDisabled(true, ada)
            await expectRefusal(circle, by: rob, to: first)
            try database.setDisabled(false, ada)
            try await store.handOver(circle: circle, by: rob, to: first)
            #expect(try owner(of: circle) == ada)
            #expect(try await store.circleOffer(tokenHash: Self.hash(1), for: nil) == nil)
            await expectRefusal(circle, by: rob, to: own)
            await #expect(throws: CircleError.notFound) {
                try await store.deleteCircle(id: circle, by: rob)
            }
            await #expect(throws: CircleError.notFound) {
                try await store.changeCircle(
                    id: circle, by: rob, name: name, description: nil, visibility: .public)
            }
            try await store.leaveCircle(id: circle, by: rob)
        }
        // The database holds it, whoever forgets.
        #expect(throws: PostgresError.self) {
            try database.session().execute("UPDATE circle_members SET owned = NULL")
        }
        #expect(throws: PostgresError.self) {
            try database.session().execute(
                "INSERT INTO circles (slug, name) VALUES ('orphan', 'Orphan')")
        }
    }

    @Test("doesn't become public while people are in it who joined it for members only")
    func exposure() async throws {
        let (rob, ada) = (try database.makeUser("rob"), try database.makeUser("ada"))
        let database = database
        try await withStore(database) { store in
            let circle = try await makeCircle(store, of: rob, .members, members: [ada])
            func change(_ visibility: CircleVisibility) async throws {
                try await store.changeCircle(
                    id: circle, by: rob, name: nil, description: nil, visibility: visibility)
            }
            await #expect(throws: CircleError.hasMembers) { try await change(.public) }
            #expect(try await store.circle(id: circle, seenBy: nil) == nil)
            try await change(.members)
            try await store.leaveCircle(id: circle, by: ada)
            _ = try await store.makeInvitation(
                toCircle: circle, by: rob, tokenHash: Self.hash(1), uses: 5, days: 1)
            try await change(.public)
            #expect(try await store.circle(id: circle, seenBy: nil) != nil)
            #expect(try await store.circleOffer(tokenHash: Self.hash(1), for: nil) == nil)
        }
    }

    @Test("is its new owner's from the moment at which it is handed over")
    func handedOver() async throws {
        let (rob, ada) = (try database.makeUser("rob"), try database.makeUser("ada"))
        let database = database
        let circle = try await withStore(database) { store in
            try await makeCircle(store, of: rob, members: [ada])
        }
        let session = try database.session()
        try session.execute("BEGIN")
        try session.query(
            """
            SELECT hand_over_circle($1, $2, id) FROM circle_members WHERE user_id = $3
            """, [.uuid(circle), .uuid(rob), .uuid(ada)])
        async let deletion: Void = withStore(database) { store in
            await #expect(throws: CircleError.notFound) {
                try await store.deleteCircle(id: circle, by: rob)
            }
        }
        try await eventually("someone who waits") {
            let waiting: Int = try database.session().query(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'
                """)[0][0]
            return waiting > 0
        }
        try session.execute("COMMIT")
        try await deletion
        #expect(try owner(of: circle) == ada)
    }

    // MARK: What is seen

    @Test("shows and counts public lists only, at once, and names of others to members only")
    func privacy() async throws {
        let (rob, ada) = (try database.makeUser("rob"), try database.makeUser("ada"))
        let games = try database.games(on: [ps4, pc], 2)
        try database.insert(games, for: rob)
        try database.insert([games[0]], for: ada)
        let database = database
        try await withStore(database) { store in
            let circle = try await makeCircle(store, of: rob, members: [ada])
            func see(_ viewer: UUID?) async throws -> CircleView {
                try #require(try await store.circle(id: circle, seenBy: viewer))
            }
            /// The counts of the two games, and how many games are in common, for any viewer.
            func counts() async throws -> [Int] {
                let view = try await see(nil)
                let ranking = try await store.rankings(of: view, games: 1...10)
                let common = try await store.commonGames(of: view)
                let own = try await store.rankings(of: see(rob), games: 1...10)
                #expect(
                    own.map { $0.games.map(\.includedBy) }
                        == ranking.map { $0.games.map(\.includedBy) })
                return (ranking.first?.games.map(\.includedBy) ?? []) + [common.count]
            }
            #expect(try await counts() == [2, 1, 1])
            #expect(try await see(nil).members.map(\.username) == ["rob", "ada"])
            #expect(try await see(nil).members.allSatisfy { $0.joinedAt == nil })
            #expect(try await see(nil).role == nil)
            #expect(try await see(ada).role == .member)

            let hide = [
                "visibility = 'unlisted'", "visibility = 'private'",
                "new_until = now() + interval '1 day'",
                "visibility = 'private', hidden_visibility = 'public'",
            ]
            for change in hide {
                try database.session().execute(
                    "UPDATE users SET \(change) WHERE username = 'ada'")
                #expect(try await counts() == [1, 1, 0], "\(change)")
                #expect(try await see(nil).members.map(\.displayName) == ["rob"])
                let members = try await see(rob).members
                #expect(members.map(\.displayName) == ["rob", "ada"])
                #expect(members.map(\.username) == ["rob", nil])
                try database.session().execute(
                    """
                    UPDATE users SET visibility = 'public', hidden_visibility = NULL,
                                     new_until = NULL
                    """)
                #expect(try await counts() == [2, 1, 1])
            }
            try database.setDisabled(true, ada)
            #expect(try await counts() == [1, 1, 0])
            #expect(try await see(rob).members.map(\.displayName) == ["rob"])
            // Someone who is suspended sees no more than anyone.
            #expect(try await see(ada).role == nil)
            try database.setDisabled(false, ada)

            try await store.changeCircle(
                id: circle, by: rob, name: nil, description: nil, visibility: .members)
            #expect(try await store.circle(id: circle, seenBy: nil) == nil)
            let eve = try database.makeUser("eve")
            #expect(try await store.circle(id: circle, seenBy: eve) == nil)
            #expect(try await see(ada).members.count == 2)
        }
    }

    @Test("ranks by platform, with shared ranks, as far as it is asked")
    func rankings() async throws {
        let users = try makeUsers(4)
        let games = try database.games(on: [ps4, pc], 4)
        for (index, user) in users.enumerated() {
            try database.insert(Array(games.prefix(4 - index)), for: user)
        }
        try database.session().query(
            """
            INSERT INTO entries (user_id, position, game_id, platform_id) VALUES ($1, 5, $2, 6)
            """, [.uuid(users[0]), .int(games[0])])
        let names: [String] = try database.session().query(
            "SELECT array_agg(sort_name ORDER BY id) FROM games WHERE id = ANY ($1::integer[])",
            [.ints(games)])[0][0]
        #expect(names.count == 4)
        // Two more games with one list each.
        try database.session().query(
            "INSERT INTO entries (user_id, position, game_id, platform_id) VALUES ($1, 2, $2, 48)",
            [.uuid(users[3]), .int(games[3])])
        let database = database
        try await withStore(database) { store in
            let circle = try await makeCircle(
                store, of: users[0], members: Array(users.dropFirst()))
            let view = try #require(await store.circle(id: circle, seenBy: nil))
            let all = try await store.rankings(of: view, platforms: 1...10, games: 1...10)
            #expect(all.map(\.platform.id) == [ps4, pc])
            #expect(all.map(\.gameCount) == [4, 1])
            #expect(all[0].games.map(\.includedBy) == [4, 3, 2, 2])
            #expect(all[0].games.map(\.rank) == [1, 2, 3, 3])
            #expect(all[0].games.prefix(2).map(\.game.id) == Array(games.prefix(2)))
            #expect(Set(all[0].games.map(\.game.id)) == Set(games))
            let second = try await store.rankings(of: view, platforms: 2...2, games: 1...1)
            #expect(second.map(\.platform.id) == [pc])
            let rest = try await store.rankings(of: view, on: ps4, games: 3...3)
            #expect(rest.map(\.gameCount) == [4])
            #expect(rest.first?.games.map(\.rank) == [3])
            #expect(try await store.rankings(of: view, on: ps4, games: 5...9).isEmpty)
            let shared = try await store.rankings(
                of: view, sharedBy: 2, platforms: 1...10, games: 1...10)
            #expect(shared.map(\.platform.id) == [ps4])
            #expect(shared.map(\.gameCount) == [4])
            let most = try await store.rankings(
                of: view, sharedBy: 3, platforms: 1...10, games: 1...10)
            #expect(most.map { $0.games.map(\.includedBy) } == [[4, 3]])
            let common = try await store.commonGames(of: view)
            #expect(Set(common.map(\.game.id)) == Set(games))
            #expect(common.map(\.lists) == [4, 3, 2, 2])
            #expect(try await store.commonGames(of: view, limit: 2).map(\.lists) == [4, 3])
            let shelves = try await store.games(of: view.members.prefix(2), in: view)
            #expect(Set(shelves.keys) == Set(view.members.prefix(2).map(\.id)))
            let first: [Int] = try database.session().query(
                "SELECT array_agg(game_id ORDER BY position) FROM entries WHERE user_id = $1",
                [.uuid(users[0])])[0][0]
            #expect(shelves[view.members[0].id]?.map(\.id) == first)
        }
    }

    @Test("is in the export of its members, with its invitations for the owner only")
    func export() async throws {
        let (rob, ada) = (try database.makeUser("rob"), try database.makeUser("ada"))
        let database = database
        try await withStore(database) { store in
            let circle = try await makeCircle(store, of: rob, members: [ada])
            _ = try await store.makeInvitation(
                toCircle: circle, by: rob, tokenHash: Self.hash(7), uses: 5, days: 1)
            for (user, role, invitations) in [(rob, CircleRole.owner, 1), (ada, .member, 0)] {
                let data = try #require(try await store.personalData(userID: user))
                #expect(data.relations.circles.map(\.circle.role) == [role])
                #expect(data.relations.circles[0].invitations.count == invitations)
                #expect(data.relations.circles[0].circle.circle.id == circle)
                // Nobody else's name.
                var text = ""
                dump(data, to: &text)
                #expect(!text.contains(user == rob ? "\"ada\"" : "\"rob\""))
            }
        }
    }

    // MARK: Plans

    @Test("is read by indexes, whatever the number of lists")
    func plans() async throws {
        let rob = try database.makeUser("rob")
        let game = try database.games(on: [ps4], 1)[0]
        try database.include(game, times: 3000)
        _ = try await withStore(database) { store in
            try await makeCircle(store, of: rob)
        }
        let session = try database.session()
        try session.execute("ANALYZE")
        try session.execute("SET plan_cache_mode = force_generic_plan")
        for (name, statement, values) in [
            ("rankings", Circles.rankings.sql, "NULL, NULL, 1, 6, 1, 5, 2"),
            ("common", Circles.common.sql, "NULL, 12"), ("games", Circles.games.sql, "NULL"),
        ] {
            try session.execute("PREPARE \(name) AS \(statement)")
            try session.execute(
                """
                CREATE FUNCTION pg_temp.explain_\(name)() RETURNS SETOF text LANGUAGE plpgsql AS
                $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN EXECUTE \(name) (\(values))'; END $$
                """)
            let plan: String = try session.query(
                "SELECT string_agg(line, E'\\n') FROM pg_temp.explain_\(name)() AS line")[0][0]
            #expect(plan.contains("entries_"), "\(plan)")
            #expect(!plan.contains("Seq Scan on entries"), "\(plan)")
        }
    }
}
