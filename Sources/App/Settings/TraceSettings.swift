import FaveGames
import HTTPTypes
import Traces

/// Where traces are sent, and how many.
struct TraceSettings {
    let destination: SpanExporter.Destination
    /// The share of requests that are traced.
    let ratio: Double

    /// - Returns: `nil` if nothing is to be traced.
    init?(_ reader: SettingsReader) throws(SettingError) {
        let settings = Settings.monitoring
        guard var endpoint = try reader.value(settings.endpoint) else { return nil }
        while endpoint.hasSuffix("/") { endpoint.removeLast() }
        guard endpoint.hasPrefix("http://") || endpoint.hasPrefix("https://") else {
            throw SettingError(settings.endpoint, endpoint, mustBe: "an http or https address")
        }
        var fields = HTTPFields()
        for pair in (try reader.value(settings.endpointFields) ?? "").commaSeparated {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else {
                throw SettingError(
                    "\(settings.endpointFields.name) must be name=value, separated by commas.")
            }
            fields[name] = String(parts[1]).removingPercentEncoding ?? String(parts[1])
        }
        destination = SpanExporter.Destination(
            endpoint: endpoint, headerFields: fields,
            service: try reader.value(settings.serviceName), version: Release.version)
        ratio = try reader.value(settings.traceRatio)
    }
}
