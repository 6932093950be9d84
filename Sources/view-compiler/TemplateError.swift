/// What is wrong with a template, and where. Lines and columns count from 1; columns count bytes.
struct TemplateError: Error, Equatable {
    let line: Int
    let column: Int
    let message: String
}
