/// An error in a template or catalogue, and its position. Lines and columns count from 1; columns count
/// bytes.
struct TemplateError: Error, Equatable {
    let line: Int
    let column: Int
    let message: String
    /// `nil` for the template that is compiled.
    var file: String?
}
