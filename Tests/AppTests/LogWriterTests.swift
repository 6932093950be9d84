import Foundation
import Glibc
import TestSupport
import Testing

@testable import App

@Suite("The writer of the log", .blocking)
struct LogWriterTests {
    /// A pipe, which holds 64 KiB.
    private final class Pipe: Sendable {
        let reading: Int32
        let writing: Int32

        init() {
            // A writer may still be writing when the pipe is closed.
            signal(SIGPIPE, SIG_IGN)
            var ends: [Int32] = [0, 0]
            pipe(&ends)
            (reading, writing) = (ends[0], ends[1])
        }

        /// Writes lines until the pipe takes no more.
        func fill() {
            let flags = fcntl(writing, F_GETFL)
            _ = fcntl(writing, F_SETFL, flags | O_NONBLOCK)
            while write(writing, "filler\n", 7) == 7 {}
            _ = fcntl(writing, F_SETFL, flags)
        }

        deinit {
            close(reading)
            // Not the other end: a writer of a test that has ended would write to what gets its number next.
        }

        /// Reads until a line contains some words.
        func lines(until words: String) throws -> [String] {
            var text = ""
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(reading, &buffer, buffer.count)
                guard count > 0 else { throw TestFailure("read: \(errno)") }
                text += String(decoding: buffer[..<count], as: UTF8.self)
                if text.hasSuffix("\n"), text.contains(words) {
                    return text.split(separator: "\n").map(String.init)
                }
            }
        }
    }

    private static func line(_ number: Int) -> [UInt8] {
        Array(("line \(number) " + String(repeating: "x", count: 90)).utf8) + [0x0A]
    }

    private static func number(_ line: String) -> Int? {
        line.hasPrefix("line ") ? Int(line.split(separator: " ")[1]) : nil
    }

    @Test("drops what nobody reads, without waiting, and says later how many lines those were")
    func unread() throws {
        let pipe = Pipe()
        pipe.fill()
        let writer = LogWriter(pipe.writing, limit: 10_000)
        for number in 0..<3000 { writer.append(Self.line(number)) }
        var lines: [String] = []
        var numbers: [Int] { lines.compactMap(Self.number) }
        var dropped: Int {
            lines.compactMap { line in
                line.firstMatch(of: /warning: (\d+) lines? (was|were) dropped/).flatMap {
                    Int($0.1)
                }
            }.reduce(0, +)
        }
        while numbers.count + dropped < 3000 { lines += try pipe.lines(until: "\n") }
        #expect(numbers.count + dropped == 3000)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        #expect((90..<400).contains(numbers.count))
        writer.append(Self.line(3000))
        #expect(try pipe.lines(until: "line").compactMap(Self.number) == [3000])
    }

    @Test("has written everything in its order at the end, if someone reads, however slowly")
    func flush() async throws {
        let pipe = Pipe()
        let writer = LogWriter(pipe.writing)
        for number in 0..<3000 { writer.append(Self.line(number)) }
        async let lines = Task.detached { try pipe.lines(until: "line 2999") }.value
        #expect(writer.flush(patience: .seconds(60), limit: .seconds(60)))
        #expect(try await lines.compactMap(Self.number) == Array(0..<3000))
    }

    @Test("gives up at the end if nobody reads")
    func unreadAtEnd() {
        let pipe = Pipe()
        let writer = LogWriter(pipe.writing)
        #expect(writer.flush(patience: .zero, limit: .zero))
        for number in 0..<3000 { writer.append(Self.line(number)) }
        #expect(!writer.flush(patience: .milliseconds(10), limit: .seconds(60)))
        #expect(!writer.flush(patience: .seconds(60), limit: .milliseconds(10)))
    }

    @Test("says how many lines a full disk has cost, once there is room")
    func fullDisk() throws {
        let pipe = Pipe()
        let file = open("/dev/full", O_WRONLY | O_CLOEXEC)
        let writer = LogWriter(file)
        for number in 0..<3 { writer.append(Self.line(number)) }
        #expect(writer.flush(patience: .seconds(60), limit: .seconds(60)))
        dup2(pipe.writing, file)
        writer.use(LineFormat(.json, isJournal: false))
        writer.append(Self.line(3))
        let lines = try pipe.lines(until: "line 3")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("{\"time\":"))
        #expect(lines[0].contains("\"message\":\"3 lines were dropped"))
    }

    @Test("waits for a descriptor that another program has made non-blocking")
    func nonBlocking() async throws {
        let pipe = Pipe()
        #expect(fcntl(pipe.writing, F_SETFL, O_NONBLOCK) == 0)
        let writer = LogWriter(pipe.writing)
        for number in 0..<3000 { writer.append(Self.line(number)) }
        #expect(!writer.flush(patience: .milliseconds(10), limit: .seconds(60)))
        #expect(try pipe.lines(until: "line 2999").compactMap(Self.number) == Array(0..<3000))
    }
}
