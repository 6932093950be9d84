import Synchronization

/// Browsers that were started and that no test has now. Starting one takes longer than emptying it.
final class BrowserPool<Browser: Sendable>: Sendable {
    private let idle = Mutex<[Browser]>([])
    private let start: @Sendable () throws -> Browser

    init(start: @escaping @Sendable () throws -> Browser) { self.start = start }

    func take() throws -> Browser {
        try idle.withLock { $0.popLast() } ?? start()
    }

    func putBack(_ browser: Browser) { idle.withLock { $0.append(browser) } }
}
