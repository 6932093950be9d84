import Glibc
import HTTP

/// The value of the Date field, made anew once a second. Confined to its loop.
final class ResponseDate {
    private var second = 0
    private var formatted = ""

    var text: String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        if time.tv_sec != second {
            second = time.tv_sec
            formatted = HTTPDate.format(secondsSince1970: second)
        }
        return formatted
    }
}
