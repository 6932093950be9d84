import FaveGames
import Foundation
public import Logging
import Synchronization
import Work

/// Covers in a folder of bounded size. The ones that were used least recently are deleted first. Any
/// thread may use it, and several servers may share the folder.
///
/// Files are read and written on threads of their own. A file is written under another name and then
/// renamed, so whoever reads it gets all of it. A power failure may still cut it off: what is read is
/// checked like what is fetched.
public final class CoverFolder: Sendable {
    private struct State {
        /// The size of all files; `nil` before they were counted.
        var bytes: Int?
        /// How much was written since they were counted. Other servers may have written, too.
        var written = 0
        /// Whether the last attempt to write failed.
        var isFailing = false
    }

    private let root: URL
    private let limit: Int
    private let logger: Logger
    private let readers = WorkerPool(threads: 2, queueLimit: 512)
    /// A single thread, so that files are written and deleted one after the other.
    private let writer = WorkerPool(threads: 1, queueLimit: 512)
    private let state = Mutex(State())

    /// A use is noted again after this time.
    private static let precision: TimeInterval = 3600

    /// - Parameters:
    ///   - path: The folder, which is created if it isn't there.
    ///   - limit: How many bytes its files may have.
    public init(path: String, limit: Int, logger: Logger) {
        root = URL(fileURLWithPath: path, isDirectory: true)
        self.limit = limit
        self.logger = logger
    }

    public func close() {
        readers.close()
        writer.close()
    }

    var byteCount: Int? { state.withLock { $0.bytes } }

    // MARK: Covers

    /// A stored cover; `nil` if there is none.
    func read(_ name: CoverStore.Name) async -> [UInt8]? {
        let file = file(name)
        return try? await readers.run(.file, isCancellable: true) {
            guard let data = try? Data(contentsOf: file) else { return nil }
            let cover = Array(data)
            guard CoverPicture.isCover(cover) else {
                try? FileManager.default.removeItem(at: file)
                return nil
            }
            Self.noteUse(of: file)
            return cover
        }
    }

    /// Stores a cover. If that fails, it is fetched again one day.
    func write(_ cover: [UInt8], _ name: CoverStore.Name) async {
        try? await writer.run(.file, isCancellable: false) { [self] in store(cover, name) }
    }

    private func file(_ name: CoverStore.Name) -> URL {
        root.appendingPathComponent(name.size.rawValue, isDirectory: true)
            .appendingPathComponent(name.imageID + ".jpg")
    }

    /// The time of the last change is that of the last use.
    private static func noteUse(of file: URL) {
        let values = try? file.resourceValues(forKeys: [.contentModificationDateKey])
        guard let used = values?.contentModificationDate, -used.timeIntervalSinceNow > precision
        else { return }
        try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
    }

    // MARK: On the writer's thread

    private func store(_ cover: [UInt8], _ name: CoverStore.Name) {
        let size = Self.space(of: cover.count)
        guard size <= limit / 8 else { return }
        let (bytes, written) = state.withLock { ($0.bytes, $0.written) }
        if bytes.map({ $0 + size > limit }) ?? true || written > limit / 16 { trim(for: size) }
        do {
            let file = file(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(cover).write(to: file, options: .atomic)
            state.withLock { state in
                state.bytes = (state.bytes ?? 0) + size
                state.written += size
                state.isFailing = false
            }
        } catch {
            let isNew = state.withLock { state in
                defer { state.isFailing = true }
                return !state.isFailing
            }
            if isNew {
                logger.warning(
                    "covers can't be stored in \(root.path), and are served without: \(error)")
            }
        }
    }

    /// What a file of a size takes on most file systems.
    private static func space(of size: Int) -> Int { (size + 4095) & ~4095 }

    private struct StoredFile {
        let url: URL
        let space: Int
        let usedAt: Date
    }

    /// Counts the files and, if there is no room for another one, deletes the least recently used ones
    /// until an eighth is free.
    private func trim(for size: Int) {
        var files: [StoredFile] = []
        for name in CoverImage.Size.allCases {
            files += Self.files(in: root.appendingPathComponent(name.rawValue, isDirectory: true))
        }
        var bytes = files.reduce(0) { $0 + $1.space }
        if bytes + size > limit {
            for file in files.sorted(by: { $0.usedAt < $1.usedAt }) {
                guard bytes + size > limit - limit / 8 else { break }
                if (try? FileManager.default.removeItem(at: file.url)) != nil {
                    bytes -= file.space
                }
            }
        }
        let counted = bytes
        state.withLock { state in
            state.bytes = counted
            state.written = 0
        }
    }

    /// The covers in a folder. What a server has left behind that was killed while it wrote is deleted.
    private static func files(in folder: URL) -> [StoredFile] {
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey]
        let urls = try? FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: Array(keys))
        return (urls ?? []).compactMap { url in
            guard let values = try? url.resourceValues(forKeys: keys),
                let size = values.fileSize, let usedAt = values.contentModificationDate
            else { return nil }
            if url.pathExtension != "jpg" {
                if -usedAt.timeIntervalSinceNow > precision {
                    try? FileManager.default.removeItem(at: url)
                }
                return nil
            }
            return StoredFile(url: url, space: space(of: size), usedAt: usedAt)
        }
    }
}
