/// An address that a page redirects the browser to.
///
/// The program itself must put the address together. An address that a request names would make
/// this site an open redirector.
package struct RedirectAddress: Sendable {
    let text: String

    /// - Returns: `nil` for anything but an http or https address or a path on this site. Such an
    ///   address does not begin with a quotation mark, so browsers read all of it (HTML standard,
    ///   section 4.2.5.3).
    package init?(madeHere text: String) {
        guard AddressDestination(text) != .other else { return nil }
        self.text = text
    }
}
