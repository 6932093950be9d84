import HTTPTypes

/// Something that a route takes of its requests: how it is read, and what the API's description says
/// of it.
///
/// A route's inputs are read in the order of their declaration; the first that cannot be read
/// decides the answer.
protocol Input: Sendable {
    associatedtype Value: Sendable

    /// - Throws: What answers a request that it cannot be read of.
    func read(_ call: Call) async throws -> Value

    var description: InputDescription { get }
}

/// What the API's description says of an input.
struct InputDescription: Sendable {
    var parameters: [Parameter] = []
    var body: Body?
    /// What may be wrong with it.
    var problems: [ProblemKind] = []
    var caller = Caller.anyone
    /// The header fields that it adds to an answer of success.
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
    }

    struct Body: Sendable {
        let schema: Schema
        var description: String?
        let isRequired: Bool
    }
}

/// Who may call a route.
enum Caller: Int, Comparable, Sendable {
    case anyone
    /// Those who send a token may see more.
    case perhapsUser
    /// Those who are signed in: with a token at the API, with a session at pages.
    case user

    static func < (one: Caller, other: Caller) -> Bool { one.rawValue < other.rawValue }
}
