import Endpoints
import FaveGames
import Foundation

/// How the domain's values are written in JSON by version 1 of the API.
enum V1 {
    /// The member with the address of something's page.
    static func page<Value>(
        _ example: String, _ path: @escaping @Sendable (Value) -> String
    ) -> ObjectRepresentation<Value>.Member {
        .init(
            "url", .text(format: "uri-reference", example: example),
            "The page, relative to the site's address."
        ) { path($0) }
    }
}

protocol NamedUser: Sendable {
    var userID: UUID { get }
    var username: String { get }
    var displayName: String { get }
}

extension User: NamedUser {
    var userID: UUID { id }
}
extension FollowedPerson: NamedUser {}
extension BlockedPerson: NamedUser {}
extension Quote: NamedUser {}
extension Inclusion: NamedUser {}

/// What a user says about a game, and when.
protocol Opinion: Sendable {
    var comment: String { get }
    var rating: Rating? { get }
    var tags: [String] { get }
    var createdAt: Date { get }
    var updatedAt: Date { get }
}

extension Entry: Opinion {}
extension Inclusion: Opinion {}
