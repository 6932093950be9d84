import CLinux
import Foundation
import Glibc

/// The memory that the process holds.
enum ResidentMemory {
    /// In bytes; `nil` where the system does not tell.
    static var bytes: Int? {
        guard let data = FileManager.default.contents(atPath: "/proc/self/statm") else {
            return nil
        }
        let fields = String(decoding: data, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * Int(getpagesize()) } : nil
    }

    /// Gives back, now and then, what was freed: malloc keeps the memory of a burst for another one,
    /// which may never come. Until the task is cancelled.
    static func trim(every interval: Duration) async {
        var trimmed = 0
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            guard let held = bytes, held > trimmed + growth else { continue }
            // malloc_trim(3) stops those who allocate for as long as it takes; so only after growth.
            malloc_trim(0)
            trimmed = bytes ?? held
        }
    }

    private static let growth = 16 * 1_048_576
}
