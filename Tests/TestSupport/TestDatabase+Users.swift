import Foundation
import Postgres

extension TestDatabase {
    /// Adds a user without a list, whose username is also the display name.
    public func makeUser(_ username: String) throws -> UUID {
        try session().query(
            "INSERT INTO users (username, display_name) VALUES ($1, $1) RETURNING id",
            [.text(username)])[0][0]
    }
}
