import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Storage

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
            throw Problem.notFound("There is no user called @\(name) here.")
        }
        return Moved(path: address(successor))
    }

    /// Everything held about a user, as a file.
    func export(of user: User) async throws -> Response {
        guard let data = try await services.store.personalData(userID: user.id) else {
            throw Problem.notFound("The account is gone.")
        }
        let name = "\(services.settings.site.fileName)-\(user.username).json"
        return Response(
            headerFields: [
                .contentType: MediaType.json.description,
                .contentDisposition: "attachment; filename=\"\(name)\"",
            ], body: PersonalExport.json(data, for: addresses))
    }
}
