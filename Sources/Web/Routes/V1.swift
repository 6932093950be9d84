import Endpoints
import FaveGames
import Foundation
import HTTP
import Identity
import JSON
import Storage
import Views

/// How the domain's values are written in JSON by version 1 of the API.
enum V1 {}

protocol NamedUser: Sendable {
    var username: String { get }
    var displayName: String { get }
}

extension User: NamedUser {}
extension FollowedPerson: NamedUser {}
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
