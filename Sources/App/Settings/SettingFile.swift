import Glibc

/// Files that settings name.
enum SettingFile {
    /// Reads a file. Blocks the thread while the file system is slow.
    ///
    /// - Parameter limit: The most bytes.
    /// - Throws: An error that names the setting and the file.
    static func contents(
        of path: String, for setting: any AnySetting, limit: Int
    ) throws(OperatorError) -> [UInt8] {
        func failure(_ reason: String) -> OperatorError {
            OperatorError("\(setting.name): \(path) cannot be read (\(reason)).")
        }
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw failure("it is not a regular file")
        }
        // One byte more, to see that the file ends within the limit.
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count <= limit {
            let some = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), limit + 1 - count)
            }
            guard some >= 0 else { throw failure(String(cString: strerror(errno))) }
            if some == 0 { return Array(bytes[..<count]) }
            count += some
        }
        throw failure("it has more than \(limit) bytes")
    }
}
