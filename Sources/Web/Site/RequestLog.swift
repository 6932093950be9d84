import Endpoints
import Foundation
import HTTP
import HTTPServer
import HTTPTypes
import Logging
import Monitoring
import Sockets
import Synchronization

/// Writes a line for each request if the operator wants that, and warns of slow requests.
///
/// Queries are left out, also those of referrers: what people search for is no one else's business. So
/// are the checks of load balancers, which come every second.
public final class RequestLog: Sendable {
    /// How the lines of the access log are written.
    public enum Format: Sendable {
        /// A message in the combined format of Apache and nginx, with the request's id at its end.
        case combined
        /// A message with the same in its metadata, for a handler that writes JSON.
        case metadata
    }

    /// The label of the access log's logger.
    public static let label = "access"

    private let access: (logger: Logger, format: Format)?
    private let logger: Logger
    private let slow: Duration
    private let throttle = Mutex(Throttle(limit: 5))
    private let proxies: TrustedProxies

    /// - Parameters:
    ///   - access: Where each request is noted at `info`; `nil` if it isn't.
    ///   - logger: For warnings of slow requests, and requests at `debug` without an access log.
    ///   - slow: A request that takes longer is logged as a warning.
    init(
        access: (logger: Logger, format: Format)?, logger: Logger, slow: Duration,
        proxies: TrustedProxies
    ) {
        self.access = access
        self.logger = logger
        self.slow = slow
        self.proxies = proxies
    }

    func note(
        _ request: Request, from peer: ClientAddress, with response: Response,
        after duration: Duration
    ) {
        if duration > slow {
            warn(request, response, duration)
        }
        guard !Signals.paths.contains(request.target.path) else { return }
        if let access {
            access.logger.info(
                message(request, peer, response, access.format),
                metadata: access.format == .metadata
                    ? metadata(request, peer, response, duration) : nil)
        } else if logger.logLevel <= .debug {
            let client = proxies.client(of: request, peer: peer)
            logger.debug(
                """
                \(client) \(request.method.rawValue) \(request.target.path) \
                \(response.status.code)
                """, metadata: identity(response))
        }
    }

    private func warn(_ request: Request, _ response: Response, _ duration: Duration) {
        let second = MonotonicTime.read().nanoseconds / 1_000_000_000
        guard let omitted = throttle.withLock({ $0.admit(at: second) }) else { return }
        let others = omitted > 0 ? "; \(omitted) others are not shown" : ""
        logger.warning(
            """
            slow request: \(request.method.rawValue) \(request.target.path) took \
            \(Int(duration / .milliseconds(1))) ms\(others)
            """, metadata: identity(response))
    }

    private func identity(_ response: Response) -> Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        metadata[RequestID.metadataKey] = response.requestID.map { "\($0)" }
        return metadata
    }

    // MARK: The access log

    private func message(
        _ request: Request, _ peer: ClientAddress, _ response: Response, _ format: Format
    ) -> Logger.Message {
        let method = request.method.rawValue
        let path = request.target.path.quotable
        guard format == .combined else { return "\(method) \(path) \(response.status.code)" }
        let client = proxies.client(of: request, peer: peer)
        let bytes = sentBytes(request, response)
        return """
            \(client) - - [\(HTTPDate.logged(Date()))] \
            "\(method) \(path) HTTP/1.\(request.minorVersion)" \(response.status.code) \
            \(bytes == 0 ? "-" : String(bytes)) "\(referrer(request) ?? "-")" \
            "\(request.value(of: .userAgent)?.quotable ?? "-")" \(response.requestID ?? "-")
            """
    }

    private func metadata(
        _ request: Request, _ peer: ClientAddress, _ response: Response, _ duration: Duration
    ) -> Logger.Metadata {
        var metadata = identity(response)
        metadata["client"] = "\(proxies.client(of: request, peer: peer))"
        metadata["method"] = "\(request.method.rawValue)"
        metadata["path"] = "\(request.target.path)"
        metadata["route"] = response.route.map { "\($0)" }
        metadata["status"] = .stringConvertible(response.status.code)
        metadata["bytes"] = .stringConvertible(sentBytes(request, response))
        metadata["microseconds"] = .stringConvertible(Int(duration / .microseconds(1)))
        metadata["referrer"] = referrer(request).map { "\($0)" }
        metadata["user_agent"] = request.value(of: .userAgent).map { "\($0)" }
        return metadata
    }

    private func sentBytes(_ request: Request, _ response: Response) -> Int {
        request.method == .head || !ResponseSerializer.hasContent(response)
            ? 0 : response.body.count
    }

    private func referrer(_ request: Request) -> String? {
        guard let referrer = request.value(of: .referer) else { return nil }
        return String(referrer.prefix { $0 != "?" && $0 != "#" }).quotable
    }
}

extension String {
    /// Without what would end a quoted text or a line: those bytes are written as `\xHH`, as Apache
    /// and nginx do.
    fileprivate var quotable: String {
        guard utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || $0 == 0x7F }) else {
            return self
        }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || scalar.value == 0x7F {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                text += "\\x" + (digits.count == 1 ? "0" : "") + digits
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension HTTPDate {
    /// A date in the format of access logs: `06/Nov/1994:08:49:37 +0000`.
    fileprivate static func logged(_ date: Date) -> String {
        let parts = format(secondsSince1970: Int(date.timeIntervalSince1970)).split(separator: " ")
        // Sun, 06 Nov 1994 08:49:37 GMT
        return "\(parts[1])/\(parts[2])/\(parts[3]):\(parts[4]) +0000"
    }
}
