import Glibc

/// Files with settings, and files that settings name.
enum SettingFile {
    /// Why a file cannot be read.
    struct Failure: Error {
        /// An error number of the system; 0 if the file itself is unsuitable.
        let code: Int32
        let reason: String

        fileprivate init(_ reason: String) {
            code = 0
            self.reason = reason
        }

        fileprivate init(code: Int32) {
            self.code = code
            reason = String(cString: strerror(code))
        }
    }

    /// Reads a file that a setting names.
    ///
    /// - Throws: An error that names the setting and the file.
    static func contents(
        of path: String, for setting: any AnySetting, limit: Int
    ) throws(OperatorError) -> [UInt8] {
        do {
            return try contents(of: path, limit: limit)
        } catch {
            throw OperatorError("\(setting.name): \(path) cannot be read (\(error.reason)).")
        }
    }

    /// Reads a regular file. Blocks the thread while the file system is slow.
    ///
    /// - Parameter limit: The most bytes.
    static func contents(of path: String, limit: Int) throws(Failure) -> [UInt8] {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure("it is not a regular file")
        }
        // One byte more, to see that the file ends within the limit.
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count <= limit {
            let some = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), limit + 1 - count)
            }
            guard some >= 0 else { throw Failure(code: errno) }
            if some == 0 { return Array(bytes[..<count]) }
            count += some
        }
        throw Failure("it has more than \(limit) bytes")
    }
}
