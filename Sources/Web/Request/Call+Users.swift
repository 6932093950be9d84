import FaveGames
import HTTP
import HTTPTypes
import Storage

extension Call {
    /// The list of the user in the path, if the caller may see it.
    func listOfPath() async throws -> FaveList? {
        try await services.store.list(
            username: path(.username).description, seenBy: visitor?.user.id)
    }

    /// Redirects to the user who had the username of the path before.
    ///
    /// - Throws: 404 if nobody had.
    func redirectToSuccessor(_ address: (String) -> String) async throws -> Response {
        let username = try path(.username).description
        guard let successor = try await services.store.successor(ofUsername: username) else {
            throw Problem.notFound("There is nobody called @\(username) here.")
        }
        return .temporaryRedirect(to: address(successor))
    }

    /// Everything that is held about a user, as a file.
    func export(of user: User) async throws -> Response {
        guard let json = try await services.store.export(userID: user.id) else {
            throw Problem.notFound("The account is gone.")
        }
        return Response(
            headerFields: [
                .contentType: MediaType.json.description, .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"fave-games-\(user.username).json\"",
            ], body: Array(json.utf8))
    }
}
