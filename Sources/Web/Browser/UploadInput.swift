import FaveGames
import HTTP
import HTTPTypes
import Imports

/// A file that someone has chosen on one of our pages, or whose text they have pasted.
struct Upload: Sendable {
    let content: [UInt8]
    /// Empty if there is none.
    let fileName: String
    /// The name of the field that it comes from.
    let field: String
}

/// The file of a form, or the text that was pasted into it.
struct UploadInput: Input {
    /// Room for the form's other fields, besides the file.
    private static let rest = 20_000

    /// - Throws: 413 if the file is too large, 422 if there is none.
    func read(_ call: Call) throws(Problem) -> Upload {
        let file = call.sent?.parts?["file"]
        guard file?.content.count ?? 0 <= Importer.fileLimit else {
            throw Problem(
                .contentTooLarge,
                "The file is too large: it may have at most \(Importer.fileLimit / 1_000_000) MB.",
                at: "file")
        }
        // Browsers send an empty file if none was chosen.
        if let file, !file.content.isEmpty {
            return Upload(content: file.content, fileName: file.fileName ?? "", field: "file")
        }
        guard let text = call.sent?["csv"], !text.isEmpty else {
            throw Problem(.unprocessableContent, "Choose a file, or paste its rows.", at: "file")
        }
        return Upload(content: Array(text.utf8), fileName: "", field: "csv")
    }

    var description: InputDescription {
        InputDescription(
            body: .init(
                schema: .text(example: ""), isRequired: true, type: .formData,
                limit: Importer.fileLimit + Self.rest, fields: [.written("csv", as: "Rows")]))
    }
}

/// A CSV file as the whole body.
struct CSVInput: Input {
    /// - Throws: 415 if the body is declared as something else.
    func admit(_ call: Call) throws(Problem) {
        let type = call.request.headerFields[.contentType].flatMap { MediaType(parsing: $0) }
        guard let type, type.isSameType(as: .csv) else {
            throw Problem(
                .unsupportedMediaType, "The body must be CSV, with Content-Type: text/csv.")
        }
    }

    /// - Throws: As `admit`.
    func read(_ call: Call) throws(Problem) -> [UInt8] {
        try admit(call)
        return call.request.body
    }

    var description: InputDescription {
        InputDescription(
            body: .init(
                schema: .text(example: "name,platform,rating\nPortal,PC,5\n"),
                description: """
                    The games, in UTF-8, or in UTF-16 with a byte order mark. At most \
                    \(ImportedRow.limit.grouped) rows and \(Importer.fileLimit / 1_000_000) MB.
                    """, isRequired: true, type: MediaType("text", "csv"),
                limit: Importer.fileLimit),
            problems: [.contentTooLarge, .unsupportedMediaType, .unprocessableContent])
    }
}

extension Input where Self == UploadInput {
    static var upload: Self { Self() }
}

extension Input where Self == CSVInput {
    static var csv: Self { Self() }
}
