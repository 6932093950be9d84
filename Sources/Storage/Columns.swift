import FaveGames
import Foundation
import Postgres

// How the columns that many statements have in common are read.

extension Game {
    /// Reads `id, name, release_year, cover_image_id`.
    init(_ row: Row, from column: Int) throws(PostgresError) {
        self.init(
            id: try row[column], name: try row[column + 1], releaseYear: try row[column + 2],
            coverImageID: try row[column + 3])
    }
}

extension Platform {
    /// Reads `id, slug, name, abbreviation`.
    init(_ row: Row, from column: Int) throws(PostgresError) {
        self.init(
            id: try row[column], slug: try row[column + 1], name: try row[column + 2],
            abbreviation: try row[column + 3])
    }
}

extension Rating: PostgresDecodable {
    public init?(postgres bytes: UnsafeRawBufferPointer, type: PostgresType) {
        guard let value = Int(postgres: bytes, type: type) else { return nil }
        self.init(value)
    }
}

extension Visibility: PostgresDecodable {
    public init?(postgres bytes: UnsafeRawBufferPointer, type: PostgresType) {
        guard let text = String(postgres: bytes, type: type) else { return nil }
        self.init(rawValue: text)
    }
}

extension User {
    /// Reads `Statement.userColumns`.
    init(_ row: Row, from column: Int) throws(PostgresError) {
        self.init(
            id: try row[column], username: try row[column + 1], displayName: try row[column + 2],
            createdAt: try row[column + 3], listUpdatedAt: try row[column + 4],
            bio: try row[column + 5], visibility: try row[column + 6],
            isDisabled: try row[column + 7])
    }
}
