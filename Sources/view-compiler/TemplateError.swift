/// What is wrong with a template, and where: lines count from 1, and so do columns, which are
/// bytes.
struct TemplateError: Error, Equatable {
    let line: Int
    let column: Int
    let message: String
}
