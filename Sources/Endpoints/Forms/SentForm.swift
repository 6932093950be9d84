package import HTTP
package import Languages

/// A form that a browser has sent to a page. Handlers get its fields from their inputs; a page that is
/// shown again has them here.
package struct SentForm: Sendable {
    /// Where it was sent to.
    package let path: String
    package let items: FormItems
    /// The files, and the other fields, if it may have files.
    package var parts: MultipartForm?
    /// Why the page is shown again.
    package var problem: Problem?

    package init(
        path: String, items: FormItems, parts: MultipartForm? = nil, problem: Problem? = nil
    ) {
        self.path = path
        self.items = items
        self.parts = parts
        self.problem = problem
    }

    package subscript(name: String) -> String? { items[name] }
}

extension Problem {
    /// The errors of a form's fields.
    package var faults: [(name: String, sentence: Words)] {
        errors.map { (String($0.pointer.split(separator: "/").first ?? ""), $0.detail) }
    }

    /// The message for the top of a page; `nil` if a field that is shown says what is wrong.
    package func text(besides shown: [String: String]) -> Words? {
        guard !errors.isEmpty else { return detail }
        guard !faults.contains(where: { shown[$0.name] != nil }) else { return nil }
        let isAboutForm = faults.contains { $0.sentence == detail }
        return isAboutForm
            ? detail
            : .sentences(
                faults.map { .sentences([Words(name: "\($0.name):"), $0.sentence]) })
    }

    /// The same for a page without the form.
    package var inSentences: Problem {
        guard !errors.isEmpty, let text = text(besides: [:]) else { return self }
        var problem = Problem(kind, text)
        problem.headerFields = headerFields
        return problem
    }
}
