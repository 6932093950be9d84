import JSON
package import Languages

/// An error in one member of a JSON document.
package struct MemberError: Equatable, Sendable {
    package let pointer: String
    package let kind: FaultKind
    /// A sentence.
    package let detail: Words

    package init(pointer: String, _ kind: FaultKind, detail: Words) {
        self.pointer = pointer
        self.kind = kind
        self.detail = detail
    }
}

/// Why a member of a body is rejected, in a form that programs can tell apart. A name never changes
/// once it has been published.
///
/// The kinds here are those that any application has. An application adds its own.
package struct FaultKind: Hashable, Sendable {
    package let name: String
    /// What the kind means, in one sentence.
    package let summary: String

    package init(_ name: String, _ summary: String) {
        self.name = name
        self.summary = summary
    }

    package static let ofEveryBody: [FaultKind] = [
        .missing, .unknownMember, .wrongType, .wrongForm, .unknownValue, .outOfRange, .tooShort,
        .tooLong, .tooFew, .tooMany, .duplicate,
    ]

    package static let missing = FaultKind("missing", "The member is required, and isn't there.")
    package static let unknownMember = FaultKind(
        "unknown-member", "The object has no member of this name.")
    package static let wrongType = FaultKind(
        "wrong-type", "The value is of another type than the schema says.")
    package static let wrongForm = FaultKind(
        "wrong-form", "The string isn't in the form that the schema or the detail says.")
    package static let unknownValue = FaultKind(
        "unknown-value", "The schema doesn't list the value.")
    package static let outOfRange = FaultKind(
        "out-of-range", "The number is too small or too large.")
    package static let tooShort = FaultKind("too-short", "The string has too few characters.")
    package static let tooLong = FaultKind("too-long", "The string has too many characters.")
    package static let tooFew = FaultKind("too-few", "The array has too few elements.")
    package static let tooMany = FaultKind("too-many", "The array has too many elements.")
    package static let duplicate = FaultKind(
        "duplicate", "The array has an element more than once; each of them has this error.")
    /// Of a page's form: nothing, or nothing that is there, was chosen.
    package static let notChosen = FaultKind("not-chosen", "One of the choices must be chosen.")
    /// Of a page's form, which people read: the detail says why.
    package static let refused = FaultKind("refused", "The value isn't possible.")

    /// Why a string that a parser has rejected doesn't match its schema.
    package init(of text: String, _ schema: Schema) {
        // White space around a text never counts.
        let isEmpty = text.allSatisfy(\.isWhitespace)
        let length = isEmpty ? 0 : text.unicodeScalars.count
        self =
            if let least = schema.keywords["minLength"]?.integer, length < least {
                .tooShort
            } else if let most = schema.keywords["maxLength"]?.integer, length > most {
                .tooLong
            } else {
                .wrongForm
            }
    }
}
