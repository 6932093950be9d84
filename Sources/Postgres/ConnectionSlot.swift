/// The pool's view of a connection.
struct ConnectionSlot {
    enum Status { case down, connecting, ready }

    private(set) var status = Status.down
    /// Whether it has a batch.
    var isBusy = false
    /// Whether a transaction uses it. The connection may be lost during the transaction, and
    /// made again.
    var isLeased = false
    /// Whether the connection is to be replaced once nothing uses it.
    var isSpoiled = false
    var lanes: [Lane] = []

    var isFree: Bool { status == .ready && !isBusy && !isLeased }

    mutating func change(to status: Status) {
        self.status = status
        isBusy = false
        isSpoiled = false
    }
}
