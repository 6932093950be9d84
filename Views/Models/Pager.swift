/// The links from one page of results to others.
package struct Pager: Sendable {
    let first: String?
    let next: String?

    /// - Parameters:
    ///   - path: The address of the first page.
    ///   - next: The cursor of the next page; `nil` on the last.
    /// - Returns: `nil` when there is only one page.
    package init?(path: String, next: String?, isFirst: Bool) {
        guard next != nil || !isFirst else { return nil }
        first = isFirst ? nil : path
        self.next = next.map { "\(path)\(path.contains("?") ? "&" : "?")cursor=\($0)" }
    }
}
