import Crypto
import Encodings
import Foundation
import Glibc
import Sockets

/// The file of a backup: an archive of pg_dump, and after it a line with the SHA-256 of the archive.
/// pg_restore reads such a file as well, and ignores that line. An archive has checksums of its own
/// only for the rows, not for what is between them.
///
/// Confined to the task that made it.
final class BackupFile {
    /// `-` for standard output or input.
    let name: String
    private let file: FileHandle
    private var checksum = SHA256()
    private(set) var size = 0

    /// What an archive begins with.
    private static let magic = Data("PGDMP".utf8)

    private static func lastLine(_ checksum: SHA256) -> Data {
        Data("\nSHA-256 \(Hexadecimal.encode(checksum.finalize()))\n".utf8)
    }

    // MARK: Writing

    /// Creates a file that only its owner may read.
    ///
    /// - Throws: `OperatorError` if the file is there already, or can't be created.
    init(creating path: String) throws {
        name = path
        let descriptor =
            path == "-"
            ? dup(STDOUT_FILENO)
            : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw errno == EEXIST
                ? OperatorError("\(path) already exists. Choose another name, or remove it.")
                : Self.failure(path, "created")
        }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        checksum.update(bufferPointer: bytes)
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(file.fileDescriptor, rest.baseAddress, rest.count)
            guard count >= 0 || errno == EINTR else { throw Self.failure(name, "written") }
            rest = .init(rebasing: rest.dropFirst(max(count, 0)))
        }
        size += bytes.count
    }

    /// Writes the last line, and everything to the disk.
    func finish() throws {
        try Self.lastLine(checksum).withUnsafeBytes { try write($0) }
        // A pipe or a terminal has no disk to flush to.
        guard fsync(file.fileDescriptor) == 0 || errno == EINVAL || errno == EROFS else {
            throw Self.failure(name, "written")
        }
    }

    private static func failure(_ name: String, _ what: String) -> OperatorError {
        OperatorError("\(name) can't be \(what): \(String(cString: strerror(errno))).")
    }

    // MARK: Reading

    init(reading path: String) throws {
        name = path
        let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, read(descriptor, nil, 0) == 0 else {
            throw Self.failure(path, "read")
        }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        if lseek(descriptor, 0, SEEK_CUR) < 0 { try copy() }
    }

    /// For a file that this program removes again.
    static func temporaryPath() -> String {
        FileManager.default.temporaryDirectory
            .appendingPathComponent("fave-restore-\(UUID().uuidString)").path
    }

    /// Replaces what can be read only once by a file that no one else can open.
    private func copy() throws {
        let copy = try BackupFile(creating: Self.temporaryPath())
        unlink(copy.name)
        while let part = try file.read(upToCount: 262_144), !part.isEmpty {
            try part.withUnsafeBytes { try copy.write($0) }
        }
        guard dup2(copy.file.fileDescriptor, file.fileDescriptor) >= 0 else {
            throw SystemError(call: "dup2")
        }
    }

    /// The file, to be read from its beginning.
    func fromBeginning() throws -> FileHandle {
        try file.seek(toOffset: 0)
        return file
    }

    /// Checks that the file is as it was written.
    func check() throws {
        var checksum = SHA256()
        var rest = try Int(file.seekToEnd()) - Self.lastLine(checksum).count
        let file = try fromBeginning()
        guard try file.read(upToCount: Self.magic.count) == Self.magic else {
            throw OperatorError("\(name) is not a backup of Fave Games.")
        }
        try file.seek(toOffset: 0)
        while rest > 0, let part = try file.read(upToCount: min(rest, 262_144)), !part.isEmpty {
            checksum.update(data: part)
            rest -= part.count
        }
        let lastLine = try file.readToEnd() ?? Data()
        guard lastLine.starts(with: "\nSHA-256 ".utf8), lastLine.last == UInt8(ascii: "\n") else {
            throw OperatorError(
                """
                \(name) was cut off or changed: the checksum at its end is missing. (What pg_dump \
                itself has made, pg_restore restores.)
                """)
        }
        guard lastLine == Self.lastLine(checksum) else {
            throw OperatorError("\(name) is damaged: it doesn't match its checksum.")
        }
    }
}
