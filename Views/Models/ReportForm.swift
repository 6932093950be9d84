import FaveGames

/// The form that reports something, with what was typed and what is wrong with it.
package struct ReportForm: Sendable {
    package var kind = ReportedKind.list
    package var reason: ReportReason?
    package var reasonError: String?
    package var note = FormField()

    package init() {}

    package var anyError: String? { reasonError ?? note.error }
}
