import HTTP
import HTTPServer
import HTTPTypes
public import Monitoring

/// Measures the requests of one loop by route, method and class of status. Confined to its loop.
// @unchecked: only the loop's own code refers to it.
public final class RequestMetrics: @unchecked Sendable {
    public static let all = [durations]

    static let durations = MetricName(
        "http.server.request.duration", .histogram, unit: "seconds",
        """
        How long requests took, from the turn in which they were complete until their responses \
        were handed over for sending.
        """)

    private struct Key: Hashable {
        let route: String?
        let method: HTTPRequest.Method
        let statusClass: Int
    }

    private var stopwatches: [Key: Stopwatch] = [:]

    public init() {}

    func record(_ request: Request, _ response: Response, _ duration: Duration) {
        let key = Key(
            route: response.route, method: request.method, statusClass: response.status.code / 100)
        if let stopwatch = stopwatches[key] { return stopwatch.record(duration) }
        // There are few methods besides those that some route takes, and they count as one.
        let method = Self.methods.contains(request.method) ? request.method.rawValue : "_OTHER"
        var labels = [
            ("http.request.method", method), ("http.response.status_class", "\(key.statusClass)xx"),
        ]
        if let route = response.route { labels.append(("http.route", route)) }
        let stopwatch = Stopwatch(Self.durations, labels)
        // Clients may invent any number of methods.
        if method != "_OTHER" { stopwatches[key] = stopwatch }
        stopwatch.record(duration)
    }

    private static let methods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .patch, .delete, .options,
    ]
}
