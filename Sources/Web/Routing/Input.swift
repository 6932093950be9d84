import HTTP
import HTTPTypes

/// Something that a route reads from a request: how it is read, and how the API's description
/// describes it.
///
/// A route's inputs are read in the order of their declaration. The first one that can't be read
/// decides the answer.
protocol Input: Sendable {
    associatedtype Value: Sendable

    /// - Throws: The error to answer with if the input can't be read.
    func read(_ call: Call) async throws -> Value

    /// Checks what the head of a request tells, before its large body is read. By default, this is who
    /// may call the route.
    ///
    /// - Throws: As `read`.
    func admit(_ call: Call) async throws

    var description: InputDescription { get }
}

extension Input {
    func admit(_ call: Call) async throws {
        if description.caller == .user, description.body == nil { _ = try await read(call) }
    }
}

/// The API's description of an input.
struct InputDescription: Sendable {
    var parameters: [Parameter] = []
    var body: Body?
    /// The problems that reading the input may cause.
    var problems: [ProblemKind] = []
    var caller = Caller.anyone
    /// What the caller's token must allow, if the input reads one.
    var access: RequiredAccess?
    /// Whether the caller must be a moderator or an administrator.
    var isForModerators = false
    /// The header fields that the input adds to a successful answer.
    var answerFields: [HTTPField.Name] = []

    struct Parameter: Sendable {
        enum Place: String, Sendable {
            case path, query, header
        }

        let name: String
        let place: Place
        let description: String
        let schema: Schema
        var isRequired = false
        /// What a request costs more that has the parameter.
        var surcharge = Cost.nothing
    }

    struct Body: Sendable {
        let schema: Schema
        var description: String?
        let isRequired: Bool
        var type = MediaType.json
        /// The most bytes, if that is more than other bodies may have.
        var limit: Int?
        /// The fields of a page's form that may be shown again.
        var fields: [FormFieldKind] = []
    }
}

/// Who may call a route.
enum Caller: Int, Comparable, Sendable {
    case anyone
    /// Anyone, but a request with a token may see more.
    case perhapsUser
    /// Only users who are signed in: with a token for the API, with a session for pages.
    case user

    static func < (one: Caller, other: Caller) -> Bool { one.rawValue < other.rawValue }
}
