import FaveGames
import Languages

/// What the report page is about.
package enum ReportSubject: Sendable {
    /// The comment of an entry.
    case reason(entry: String, by: String, game: GameTitle, comment: String)
    /// A list or its owner.
    case person(username: String, name: String)
    case circle(id: String, name: String, description: String)

    /// The name in the title; `nil` for a comment.
    var name: String? {
        switch self {
        case .reason: nil
        case .person(_, let name), .circle(_, let name, _): name
        }
    }

    /// The reported text; `nil` for a person.
    var quote: Words? {
        switch self {
        case .reason(_, _, _, let comment): comment.isEmpty ? .noReason : Words(name: comment)
        case .circle(_, _, let description): description.isEmpty ? nil : Words(name: description)
        case .person: nil
        }
    }

    /// The form's fields that say what is reported; the kind of a person is a choice.
    var fields: [(name: String, value: String)] {
        switch self {
        case .reason(let entry, _, _, _): [("kind", "entry"), ("entry", entry)]
        case .person(let username, _): [("username", username)]
        case .circle(let id, _, _): [("kind", "circle"), ("circle", id)]
        }
    }
}
