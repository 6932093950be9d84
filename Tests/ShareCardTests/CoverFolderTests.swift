import CTurboJPEG
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import ShareCard

/// The folder that covers are stored in.
@Suite("The folder of covers")
struct CoverFolderTests {
    /// A cover of about so many bytes: a comment fills it up.
    private static func cover(_ bytes: Int = 3_000) throws -> [UInt8] {
        let encoder = try #require(tjInitCompress())
        defer { tjDestroy(encoder) }
        var jpeg: UnsafeMutablePointer<UInt8>?
        var size: UInt = 0
        let status = tjCompress2(
            encoder, [200, 30, 40], 1, 0, 1, Int32(TJPF_RGB.rawValue), &jpeg, &size,
            Int32(TJSAMP_444.rawValue), 95, 0)
        defer { tjFree(jpeg) }
        #expect(status == 0)
        let whole = Array(UnsafeBufferPointer(start: jpeg, count: Int(size)))
        let length = max(bytes - whole.count, 2)
        let comment =
            [0xFF, 0xFE, UInt8(length >> 8), UInt8(length & 255)]
            + [UInt8](repeating: 32, count: length - 2)
        return Array(whole.prefix(2)) + comment + Array(whole.dropFirst(2))
    }

    private func with(
        bytes: Int = 1 << 20, log: Recorder<String> = Recorder(),
        _ body: (CoverFolder, URL) async throws -> Void
    ) async throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("fave-covers-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let folder = CoverFolder(
            path: url.path, limit: bytes,
            logger: Logger(label: "test") { _ in RecordingLogHandler(lines: log) })
        defer { folder.close() }
        try await body(folder, url)
    }

    private func files(_ url: URL) -> [String] {
        let folder = url.appendingPathComponent("cover_big").path
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    @Test("gives back what was stored, in its size only")
    func storing() async throws {
        let cover = try Self.cover()
        try await with { folder, _ in
            #expect(await folder.read(.init("co1", .large)) == nil)
            await folder.write(cover, .init("co1", .large))
            #expect(await folder.read(.init("co1", .large)) == cover)
            #expect(await folder.read(.init("co1", .small)) == nil)
        }
    }

    @Test("stays within its bound, and deletes first what was used least recently")
    func bound() async throws {
        let cover = try Self.cover()
        // Room for sixteen files of a block each.
        try await with(bytes: 16 * 4096) { folder, url in
            for number in 10..<26 { await folder.write(cover, .init("co\(number)", .large)) }
            #expect(files(url).count == 16)
            for (age, name) in files(url).enumerated() {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -90_000 + Double(age) * 60)],
                    ofItemAtPath: url.appendingPathComponent("cover_big/\(name)").path)
            }
            #expect(await folder.read(.init("co10", .large)) != nil, "it is used again")
            await folder.write(cover, .init("co99", .large))
            let left = files(url)
            #expect(left.count <= 14)
            #expect(left.contains("co10.jpg"))
            #expect(left.contains("co99.jpg"))
            #expect(!left.contains("co11.jpg"))
            for number in 30..<90 { await folder.write(cover, .init("co\(number)", .large)) }
            #expect(files(url).count <= 16)
            #expect(folder.byteCount == files(url).count * 4096)
        }
    }

    @Test("deletes what was cut off, or is no cover")
    func damaged() async throws {
        let cover = try Self.cover()
        try await with { folder, url in
            await folder.write(cover, .init("co1", .large))
            let file = url.appendingPathComponent("cover_big/co1.jpg")
            try Data(cover.dropLast(100)).write(to: file)
            #expect(await folder.read(.init("co1", .large)) == nil)
            #expect(files(url) == [])
        }
    }

    @Test("is done without if it can't be written, which the log says once")
    func unwritable() async throws {
        let cover = try Self.cover()
        let log = Recorder<String>()
        try await with(log: log) { folder, url in
            try Data().write(to: url)
            let store = CoverStore(folder: folder) { _ in .cover(cover) }
            for number in 1...3 {
                #expect(await store.cover(.init("co\(number)", .large)) == cover)
                await folder.write(cover, .init("co\(number)", .large))
            }
            #expect(log.elements.count { $0.contains("can't be stored") } == 1)
        }
    }

    @Test("serves what it has while the host is down")
    func hostDown() async throws {
        let cover = try Self.cover()
        try await with { folder, _ in
            await folder.write(cover, .init("co1", .large))
            let store = CoverStore(folder: folder) { _ in .failed }
            for number in 2...9 {
                #expect(await store.cover(.init("co\(number)", .large)) == nil)
            }
            #expect(await store.cover(.init("co1", .large)) == cover)
            #expect(store.statistics.fromFolder == 1)
            #expect(store.statistics.failed == 5, "then it is left alone")
        }
    }

    /// How many run at once.
    private final class Load: Sendable {
        private let counts = Mutex((running: 0, most: 0))

        var most: Int { counts.withLock { $0.most } }

        func begin() {
            counts.withLock { counts in
                counts.running += 1
                counts.most = max(counts.most, counts.running)
            }
        }

        func end() { counts.withLock { $0.running -= 1 } }
    }

    @Test("lets a few fetches run at once, the others wait, and too many are turned away")
    func gate() async throws {
        let gate = FetchGate(limit: 2, waitingLimit: 20, interval: .zero)
        let load = Load()
        let passed = await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    await gate.pass(if: { true }) {
                        load.begin()
                        await Task.yield()
                        load.end()
                    } != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 20)
        #expect(load.most <= 2)
        #expect(await gate.pass(if: { false }) { true } == nil)
        let none = FetchGate(limit: 0, waitingLimit: 0)
        #expect(await none.pass(if: { true }) { true } == nil)
    }
}
