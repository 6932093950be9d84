/// An address that a page sends the browser to without being asked.
///
/// It must be one that the program itself put together, never one that a request names, which would
/// make this site a signpost to any other.
package struct RedirectAddress: Sendable {
    let text: String

    /// - Returns: `nil` for anything but an address by http or of this site. As its first character
    ///   is no quotation mark, browsers take all of it (HTML standard, section 4.2.5.3).
    package init?(madeHere text: String) {
        guard AddressDestination(text) != .other else { return nil }
        self.text = text
    }
}
