import CZlib
import Foundation
import Glibc

/// A file that zlib compresses as it is written, or decompresses as it is read. Confined to the task
/// that opened it.
final class GzipFile {
    private let file: gzFile
    /// Owned by `file`.
    private let descriptor: Int32
    private let name: String

    /// Creates a file that only its owner may read.
    ///
    /// - Parameter path: `-` for standard output.
    /// - Throws: `OperatorError` if the file is there already, or can't be created.
    init(creating path: String) throws {
        let descriptor =
            path == "-"
            ? dup(STDOUT_FILENO)
            : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0, let file = gzdopen(descriptor, "wb6") else {
            throw OperatorError(
                errno == EEXIST
                    ? "\(path) already exists. Choose another name, or remove it."
                    : "\(path) can't be created: \(String(cString: strerror(errno))).")
        }
        self.file = file
        self.descriptor = descriptor
        name = path
        gzbuffer(file, Self.bufferSize)
    }

    /// - Parameter path: `-` for standard input.
    init(reading path: String) throws {
        let descriptor =
            path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, let file = gzdopen(descriptor, "rb") else {
            throw OperatorError("\(path) can't be read: \(String(cString: strerror(errno))).")
        }
        self.file = file
        self.descriptor = descriptor
        name = path
        gzbuffer(file, Self.bufferSize)
    }

    private static let bufferSize: UInt32 = 262_144
    private var isClosed = false

    deinit { if !isClosed { gzclose(file) } }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard !bytes.isEmpty else { return }
        guard gzwrite(file, bytes.baseAddress, UInt32(bytes.count)) == Int32(bytes.count) else {
            throw failure("written")
        }
    }

    func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes out everything to the disk and closes the file.
    func finishWriting() throws {
        isClosed = true
        let copy = dup(descriptor)
        defer { close(copy) }
        guard gzclose(file) == Z_OK, fsync(copy) == 0 || errno == EINVAL || errno == EROFS else {
            throw OperatorError("\(name) can't be written completely. Is the disk full?")
        }
    }

    /// Reads a line.
    ///
    /// - Returns: The line with its line feed; `nil` at the end of the file. A last line without a
    ///   line feed is an error, since the file was then cut off.
    func readLine() throws -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            let count = line.count
            line.reserveCapacity(count + Self.piece)
            var piece = [CChar](repeating: 0, count: Self.piece)
            guard gzgets(file, &piece, Int32(Self.piece)) != nil else {
                var code: Int32 = 0
                gzerror(file, &code)
                guard code == Z_OK || code == Z_STREAM_END else { throw failure("read") }
                guard line.isEmpty else {
                    throw OperatorError("\(name) was cut off: its end is missing.")
                }
                return nil
            }
            line.append(
                contentsOf: piece.prefix { $0 != 0 }.lazy.map { UInt8(truncatingIfNeeded: $0) })
            if line.last == UInt8(ascii: "\n") { return line }
            guard line.count <= Self.lineLimit else {
                throw OperatorError("\(name) is not a backup of Fave Games: a line is too long.")
            }
        }
    }

    private static let piece = 16_384
    /// More than the longest row.
    private static let lineLimit = 64 << 20

    private func failure(_ what: String) -> OperatorError {
        var code: Int32 = 0
        let message = gzerror(file, &code).map { String(cString: $0) } ?? ""
        let reason = code == Z_ERRNO ? String(cString: strerror(errno)) : message
        return OperatorError("\(name) can't be \(what): \(reason).")
    }
}
