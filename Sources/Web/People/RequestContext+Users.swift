import Endpoints
import FaveGames
import Foundation
import HTTP
import HTTPTypes
import Storage
import Views

extension RequestContext {
    /// A user's list, if the visitor may see it.
    func list(of username: Username) async throws -> FaveList? {
        try await services.store.list(
            username: username.description, seenBy: visitor?.user.id)
    }

    /// The new address for a user's former username.
    ///
    /// - Parameter address: Makes the address of the same thing under another username.
    /// - Throws: 404 if no user had the name.
    func moved(
        from username: Username, _ address: (String) -> String
    ) async throws -> Moved {
        let name = username.description
        guard let successor = try await services.store.successor(ofUsername: name) else {
            throw Problem.notFound(.noSuchUser(name))
        }
        return Moved(path: address(successor))
    }

    /// Everything held about a user, as a file.
    func export(of user: User) async throws -> Response {
        guard let data = try await services.store.personalData(userID: user.id) else {
            throw Problem.notFound(.accountGone)
        }
        let name = "\(services.settings.site.fileName)-\(user.username).json"
        return Response(
            headerFields: [
                .contentType: MediaType.json.description,
                .contentDisposition: "attachment; filename=\"\(name)\"",
            ], body: PersonalExport.json(data, for: addresses))
    }
}

extension Cost {
    /// Everything that is known about someone.
    static let export = units(20)
}

extension Input<Services, Username> {
    /// An id leads to the same address with the username, if the user's list is public.
    static var username: Self {
        let byName = path(
            "username", noun: "user",
            "The username; capitals and an @ before it don't matter. A former one redirects with a 307, and "
                + "so does the user's id, which never changes, when something is read.",
            .newUsername
        ) { Username($0) }
        return Self(byName.description) { context in
            if context.request.method.isRead, let text = context.parameters["username"],
                let id = UUID(uuidString: text),
                let user = try await context.services.store.publicUser(id: id)
            {
                let target = context.request.target
                // The path has percent-encoding, and the parameter doesn't.
                let path = target.path.replacing(text, with: user.username, maxReplacements: 1)
                if path != target.path {
                    throw Moved(path: path + (target.query.map { "?\($0)" } ?? ""))
                }
            }
            return try await byName.read(context)
        }
    }
}
