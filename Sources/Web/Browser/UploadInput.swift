import FaveGames
import HTTP
import HTTPTypes
import Imports

/// A file that someone has chosen on one of our pages, or whose text they have pasted.
struct Upload: Sendable {
    let content: [UInt8]
    /// Empty if there is none.
    let fileName: String
}

/// The form with a file that was sent from one of our pages. It is read on a worker's thread.
struct UploadInput: Input {
    /// Room for the form's other fields, besides the file.
    private static let rest = 20_000

    /// - Throws: 403 if the form comes from elsewhere.
    func admit(_ call: Call) throws(Problem) { try call.checkOrigin() }

    /// - Throws: 403 if the form comes from elsewhere, 415 if it is no form, 413 if the file is too
    ///   large.
    func read(_ call: Call) async throws -> Upload {
        try call.checkOrigin()
        let type = call.request.headerFields[.contentType].flatMap { MediaType(parsing: $0) }
        guard let type, type.isSameType(as: .formData) else {
            let form = try call.form()
            return Upload(content: Array((form["csv"] ?? "").utf8), fileName: "")
        }
        let body = call.request.body
        let form: MultipartForm
        do {
            form = try await call.services.importer.reading(for: call.client.siteName) {
                try MultipartForm(parsing: body, type: type)
            }
        } catch is RequestError {
            throw Call.noForm
        }
        try call.prove(form["token"].map { String(decoding: $0.content, as: UTF8.self) })
        let file = form["file"]
        guard file?.content.count ?? 0 <= Importer.fileLimit else {
            throw Problem(
                .contentTooLarge,
                "The file is too large: it may have at most \(Importer.fileLimit / 1_000_000) MB.")
        }
        // Browsers send an empty file if none was chosen.
        guard let file, !file.content.isEmpty else {
            return Upload(content: form["csv"]?.content ?? [], fileName: "")
        }
        return Upload(content: file.content, fileName: file.fileName ?? "")
    }

    var description: InputDescription {
        InputDescription(
            body: .init(
                schema: .text(example: ""), isRequired: true, type: .formData,
                limit: Importer.fileLimit + Self.rest))
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
