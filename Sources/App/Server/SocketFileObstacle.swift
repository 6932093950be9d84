import Foundation
import Glibc
import Sockets

/// What is in the way of a unix-domain socket, where the system's error says too little: it calls a path
/// in use whatever is there.
struct SocketFileObstacle: CustomStringConvertible {
    let description: String

    /// - Parameter error: Why the socket could not be bound to the path.
    /// - Returns: `nil` if the error says enough, or another program listens there.
    init?(_ error: SystemError, path: String) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var status = stat()
        switch error.code {
        case EADDRINUSE:
            guard lstat(path, &status) == 0 else { return nil }
            switch status.st_mode & S_IFMT {
            case S_IFSOCK: return nil
            case S_IFLNK:
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
                description = "it is a symbolic link, to \(target ?? "nothing")"
            case S_IFDIR: description = "it is a folder"
            case S_IFREG: description = "a file that is not a socket is there"
            default: description = "something that is not a socket is there"
            }
        case ENOENT:
            description =
                path.hasSuffix("/") ? "the path ends with a /" : "there is no folder \(folder)"
        case ENOTDIR: description = "\(folder) is not a folder"
        case EACCES, EPERM:
            description =
                error.call == "unlink"
                ? "this user may not remove the socket that another program has left there"
                : "this user may not create files in \(folder)"
        case EROFS: description = "the file system of \(folder) is read-only"
        case ELOOP: description = "symbolic links on the way to \(folder) lead in a circle"
        default: return nil
        }
    }
}
