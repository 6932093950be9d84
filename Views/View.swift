/// A page, or a part of one, that is not yet written in a language.
package struct View {
    /// An estimate of its bytes.
    let capacity: Int
    let write: (inout HTML) -> Void

    init(reserving capacity: Int, _ write: @escaping (inout HTML) -> Void) {
        self.capacity = capacity
        self.write = write
    }

    /// A view that is written already.
    package init(_ html: HTML) {
        self.init(reserving: html.bytes.count) { $0.append(html) }
    }
}
