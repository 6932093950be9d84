import Glibc

/// Which file a name denotes at this moment. Whoever cleans up by a name must compare it first: another
/// process may have put a file of its own in that place.
public struct FileIdentity: Hashable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    /// The file itself, even if it is a symbolic link; `nil` if there is none.
    public init?(path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        (device, inode) = (status.st_dev, status.st_ino)
    }

    /// Removes this file, unless the name denotes another one now.
    ///
    /// - Throws: Why the file is still there.
    public func remove(at path: String) throws(SystemError) {
        guard FileIdentity(path: path) == self, unsafe unlink(path) != 0, errno != ENOENT else {
            return
        }
        throw SystemError(call: "unlink")
    }
}
