import Endpoints
import FaveGames
import HTTPTypes
import JSON

/// The OpenAPI document of the API, made from the routes.
enum OpenAPI {
    static func document(_ routes: [Route]) -> JSONValue {
        let routes = routes.filter { $0.operation != nil }
        var components = OpenAPIComponents()
        var paths: [String: [String: JSONValue]] = [:]
        for route in routes {
            paths[route.pattern, default: [:]][route.method.rawValue.lowercased()] =
                OpenAPIOperation(route).value(&components)
        }
        for kind in ProblemKind.ofEveryAddress { _ = components.problems([kind], of: .api) }
        return [
            "openapi": "3.1.0",
            "info": information,
            "servers": [["url": "/"]],
            "tags": .array(
                Route.Operation.Tag.allCases.map {
                    ["name": .string($0.rawValue), "description": .string($0.description)]
                }),
            "paths": .object(paths.mapValues { .object($0) }),
            "components": components.value,
        ]
    }
}

extension Route.Operation {
    /// What an operation is about.
    enum Tag: String, CaseIterable, Sendable {
        case platforms = "Platforms"
        case games = "Games"
        case entries = "Entries"
        case users = "Users"
        case sessions = "Sessions"
        case me = "Me"
        case myList = "My list"
        case circles = "Circles"
        case moderation = "Moderation"
        case service = "Service"
        case firstFrontEnd = "First front end"

        var description: String {
            switch self {
            case .platforms: "Systems that games run on, and their rankings."
            case .games: "Games from IGDB, or from the server's own catalogue."
            case .entries: "What everyone says about their favourites."
            case .users: "Users and their lists."
            case .sessions: "Tokens for accounts on this server."
            case .me: "The current user: the one the token belongs to."
            case .myList: "The current user's list: that of the token's user."
            case .circles:
                "Groups that people join by invitation, with rankings of their members' public lists."
            case .moderation: "Reports, and what moderators do about them."
            case .service: "For monitors, load balancers and other services."
            case .firstFrontEnd:
                """
                The routes of the first My Fave Games back end, for its front end. Errors are plain \
                text for reads, and objects with “code” and “message” for writes; unknown members of \
                bodies are ignored. New clients should use /api/v1.
                """
            }
        }
    }
}
