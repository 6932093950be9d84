import CLinux
import Foundation
import Glibc
import Work

/// The physical memory that the process uses.
enum ResidentMemory {
    /// In bytes; `nil` if the system does not report it.
    static var bytes: Int? {
        guard let data = FileManager.default.contents(atPath: "/proc/self/statm") else {
            return nil
        }
        let fields = String(decoding: data, as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * Int(getpagesize()) } : nil
    }

    /// Finds out at once, and then at this interval, whether the process has grown, and if so
    /// returns freed memory to the system, until the task is cancelled. malloc retains the memory of
    /// a burst of requests for the next burst, which may never come.
    static func trim(every interval: Duration) async {
        // So nothing is trimmed at once: right after the start, the first requests allocate.
        var trimmed = bytes ?? 0
        await every(interval) {
            guard let held = bytes, held > trimmed + growth else { return }
            // Only after growth: while malloc_trim(3) runs, threads that allocate must wait.
            malloc_trim(0)
            trimmed = bytes ?? held
        }
    }

    private static let growth = 16 * 1_048_576

    /// Lets malloc retain what the buffers of a page take. Otherwise its heap grows and shrinks with each
    /// page, which costs system calls and some 25 page faults.
    static func retainBuffers() {
        mallopt(M_TRIM_THRESHOLD, 1_048_576)
        mallopt(M_MMAP_THRESHOLD, 1_048_576)
    }
}
