import Endpoints
import FaveGames
import HTTP
import HTTPTypes
import Imports
import Languages
import Views

/// A file that someone has chosen on one of our pages, or whose text they have pasted.
struct Upload: Sendable {
    let content: [UInt8]
    /// Empty if there is none.
    let fileName: String
    /// The name of the field that it comes from.
    let field: String
}

extension Input where Value == Upload {
    /// The file of a form, or the text that was pasted into it. 413 if the file is too large, 422 if
    /// there is none.
    static var upload: Self {
        // Room for the form's other fields, besides the file.
        let rest = 20_000
        let description = InputDescription(
            body: .init(
                schema: .text(example: ""), isRequired: true, type: .formData,
                limit: ImportedRow.fileLimit + rest, fields: [.written("csv")]))
        return Self(description) { context in
            let file = context.sent?.parts?["file"]
            guard file?.content.count ?? 0 <= ImportedRow.fileLimit else {
                throw Problem(
                    .contentTooLarge,
                    .fileTooLarge(ImportedRow.fileLimit / 1_000_000),
                    at: "file")
            }
            // Browsers send an empty file if none was chosen.
            if let file, !file.content.isEmpty {
                return Upload(content: file.content, fileName: file.fileName ?? "", field: "file")
            }
            guard let text = context.sent?["csv"], !text.isEmpty else {
                throw Problem(
                    .unprocessableContent, .chooseFile, at: "file")
            }
            return Upload(content: Array(text.utf8), fileName: "", field: "csv")
        }
    }
}

extension Input where Value == [UInt8] {
    /// A CSV file as the whole body. 415 if the body is declared as something else.
    static var csv: Self {
        let description = InputDescription(
            body: .init(
                schema: .text(example: "name,platform,rating\nPortal,PC,5\n"),
                description: """
                    The games, in UTF-8, or in UTF-16 with a byte order mark. At most \
                    \(ImportedRow.limit.grouped.string(in: .en)) rows and \(ImportedRow.fileLimit / 1_000_000) MB.
                    """, isRequired: true, type: MediaType("text", "csv"),
                limit: ImportedRow.fileLimit),
            problems: [.contentTooLarge, .unsupportedMediaType, .unprocessableContent])
        return Self(description, admit: checkType) { context in
            try checkType(context)
            return context.request.body
        }
    }

    @Sendable private static func checkType(_ context: Context) throws(Problem) {
        let type = context.request.headerFields[.contentType].flatMap { MediaType(parsing: $0) }
        guard let type, type.isSameType(as: .csv) else {
            throw Problem(
                .unsupportedMediaType,
                .english("The body must be CSV, with Content-Type: text/csv."))
        }
    }
}

extension Cost {
    /// A file of thousands of rows.
    static let upload = units(20)
}
