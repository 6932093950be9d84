import HTTP
import Logging
import Sockets

/// What the frame asks of an application. The type that has the dependencies of its handlers
/// implements it.
package protocol Application: Sendable {
    /// Someone who is signed in with a browser.
    associatedtype Visitor: Sendable

    /// The address at which people reach the site, without a trailing slash.
    var publicURL: String { get }
    /// The loop's compressor.
    var gzip: Gzip { get }
    var logger: Logger { get }
    /// Encrypts the cursors that clients carry.
    var cursorSeal: CursorSeal { get async }

    /// The pages, by their patterns. A form that is refused is shown again on its page.
    static var pages: [String: Route<Self>] { get }

    /// Checks that a form comes from a page that this browser was given.
    ///
    /// - Throws: 403 if the token is not the one of those pages.
    func checkFormToken(_ token: String?, of context: RequestContext<Self>) throws(Problem)

    /// Parses a form that may have files, away from the loop.
    func parseForm(
        _ body: [UInt8], type: MediaType, from client: ClientAddress
    ) async throws -> MultipartForm

    /// What is wrong with a form, with the fields that are to blame.
    ///
    /// - Returns: `nil` unless the error says why something that someone wanted was refused.
    func refusal(_ error: any Error, of form: FormItems) -> Problem?

    /// The problem of a request that failed for another reason, which is logged.
    ///
    /// - Returns: `nil` if the error leads to another page.
    func failure(_ error: any Error, of context: RequestContext<Self>) -> Problem?
}
