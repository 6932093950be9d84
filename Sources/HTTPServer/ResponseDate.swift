import Glibc
import HTTP

/// The value of the Date field, updated at most once a second. Confined to its loop.
final class ResponseDate {
    private var second = 0
    private var formatted: [UInt8] = []

    var text: [UInt8] {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
        if time.tv_sec != second {
            second = time.tv_sec
            formatted = Array(HTTPDate.format(secondsSince1970: second).utf8)
        }
        return formatted
    }
}
