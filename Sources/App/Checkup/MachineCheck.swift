import Glibc
import ShareCard

/// Tries what a server needs of the machine that it runs on.
enum MachineCheck {
    /// Letters of the scripts that names of games are in.
    private static let samples = [
        ("Latin letters", "Hello", "fonts-inter"),
        ("Cyrillic and Greek", "Привет Γεια", "fonts-noto-core"),
        ("Chinese, Japanese and Korean", "超级 ゼルダ 블루", "fonts-wqy-microhei"),
        ("emoji", "🎮", "fonts-noto-color-emoji"),
    ]

    /// Whether pictures of lists can show what people write, in words.
    static func fonts() -> Finding {
        let missing = samples.filter { !Fonts.have($0.1) }
        guard !missing.isEmpty else {
            return Finding(what: "fonts", verdict: .good, shareable: "pictures show all scripts")
        }
        return Finding(
            what: "fonts", verdict: missing.count == samples.count ? .bad : .notice,
            shareable: """
                pictures of lists show boxes for \(missing.map(\.0).joined(separator: "; ")). \
                apt install \(missing.map(\.2).joined(separator: " "))
                """)
    }

    /// Whether covers can be stored, in words.
    static func covers(in folder: String) -> Finding {
        let what = "covers"
        if access(folder, F_OK) != 0, mkdir(folder, 0o750) != 0 {
            return failure(what, folder, errno)
        }
        var path = Array((folder + "/.doctor-XXXXXX").utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { return failure(what, folder, errno) }
        let written = write(descriptor, "x", 1)
        let code = errno
        close(descriptor)
        unlink(path)
        guard written == 1 else { return failure(what, folder, code) }
        return Finding(what: what, verdict: .good, detail: "can be stored in \(folder)")
    }

    private static func failure(_ what: String, _ folder: String, _ code: Int32) -> Finding {
        Finding(
            what: what, verdict: .bad,
            detail: """
                cannot be stored in \(folder) (\(String(cString: strerror(code)))), so each is fetched \
                again. Let the server's user write there, or change COVERS_FOLDER
                """)
    }
}
