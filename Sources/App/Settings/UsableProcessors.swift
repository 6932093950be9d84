import CLinux
import Foundation

/// How many processors the process may use: those of its CPU affinity (taskset, cpusets), or fewer if
/// its control groups limit its CPU time.
enum UsableProcessors {
    static let count = min(affine, ControlGroups.own.processors ?? .max)

    private static var affine: Int {
        let count = Int(clinux_usable_processors())
        return count > 0 ? count : ProcessInfo.processInfo.activeProcessorCount
    }
}
