package import FaveGames
import Postgres
import Storage

/// A circle and its members, for a bulk load.
package struct CircleSeed: Sendable {
    package let name: CircleName
    package let description: CircleDescription
    package let visibility: CircleVisibility
    /// The usernames of the members, the owner's first.
    package let members: [String]

    package init(
        name: CircleName, description: CircleDescription, visibility: CircleVisibility,
        members: [String]
    ) {
        self.name = name
        self.description = description
        self.visibility = visibility
        self.members = members
    }
}

extension BulkStore {
    /// Makes circles in one transaction. Their ids are derived from their names and owners, so they
    /// are the same each time.
    package func load(_ circles: [CircleSeed]) throws {
        try session.withTransaction {
            for circle in circles {
                try session.query(
                    Self.addCircle,
                    [
                        .text(circle.name.text), .text(circle.description.text),
                        .text(circle.visibility.rawValue), .texts(circle.members),
                    ])
                try session.query(
                    Self.addMembers, [.text(circle.name.text), .texts(circle.members)])
            }
        }
    }

    /// An SQL expression for the id of a circle, with its name and the array of its members.
    private static func circleID(_ name: String, _ members: String) -> String {
        "md5(\(name)::text || ' of ' || (\(members)::text[])[1])::uuid"
    }

    private static let addCircle = """
        SELECT add_circle(\(circleID("$1", "$4")), $1, $2, $3)
        """

    private static let addMembers = """
        SELECT add_circle_member(\(circleID("$1", "$2")), u.id, m.place = 1)
        FROM (SELECT * FROM unnest($2::text[]) WITH ORDINALITY AS n (username, place)
              ORDER BY place) m
        JOIN users u USING (username)
        ORDER BY m.place
        """
}
