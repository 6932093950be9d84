/// An address that a page sends the browser to without being asked.
///
/// It must be one that the program itself put together, never one that a request names, which would
/// make this site a signpost to any other.
package struct RedirectAddress: Sendable {
    let text: String

    /// - Returns: `nil` for what is no address by http or of this site, or holds what could end it
    ///   where a browser reads it (HTML standard, section 4.2.5.3).
    package init?(madeHere text: String) {
        guard AddressKind(text) != .other,
            !text.utf8.contains(where: {
                $0 == 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'")
            })
        else { return nil }
        self.text = text
    }
}
