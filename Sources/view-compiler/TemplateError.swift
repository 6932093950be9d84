/// An error in a template, and its position. Lines and columns count from 1; columns count bytes.
struct TemplateError: Error, Equatable {
    let line: Int
    let column: Int
    let message: String
}
