import JSON
import Tracing

/// A span that has ended, ready to be sent.
struct FinishedSpan: Sendable {
    let name: String
    let kind: SpanKind
    let context: TraceContext
    let parent: UInt64?
    /// In nanoseconds since 1970.
    let start: UInt64
    let end: UInt64
    let attributes: SpanAttributes
    /// Why it failed; `nil` if it didn't.
    let failure: String?
}

extension JSONWriter {
    /// Writes a request of OTLP/HTTP in JSON: the message `ExportTraceServiceRequest`.
    mutating func exportRequest(_ spans: [FinishedSpan], service: String, version: String) {
        object { json in
            json.name("resourceSpans")
            json.array { json in
                json.object { json in
                    json.name("resource")
                    json.object { json in
                        json.name("attributes")
                        json.array { json in
                            json.attribute("service.name", .string(service))
                            json.attribute("service.version", .string(version))
                        }
                    }
                    json.name("scopeSpans")
                    json.array { json in
                        json.object { json in
                            json.name("scope")
                            json.object { $0.member("name", "fave-games") }
                            json.name("spans")
                            json.array(spans) { json, span in json.span(span) }
                        }
                    }
                }
            }
        }
    }

    private mutating func span(_ span: FinishedSpan) {
        object { json in
            json.member("traceId", span.context.traceID.description)
            json.member("spanId", TraceContext.hexadecimal(span.context.spanID))
            if let parent = span.parent {
                json.member("parentSpanId", TraceContext.hexadecimal(parent))
            }
            json.member("name", span.name)
            json.member("kind", span.kind.number)
            // Numbers of 64 bits are texts in the JSON of Protocol Buffers.
            json.member("startTimeUnixNano", String(span.start))
            json.member("endTimeUnixNano", String(span.end))
            json.name("attributes")
            json.array { json in
                span.attributes.forEach { json.attribute($0, $1) }
            }
            if let failure = span.failure {
                json.name("status")
                json.object { json in
                    json.member("code", 2)
                    json.member("message", failure)
                }
            }
        }
    }

    private mutating func attribute(_ key: String, _ value: SpanAttribute) {
        object { json in
            json.member("key", key)
            json.name("value")
            json.object { json in
                switch value {
                case .int32(let number): json.member("intValue", String(number))
                case .int64(let number): json.member("intValue", String(number))
                case .bool(let value): json.member("stringValue", value ? "true" : "false")
                case .string(let text): json.member("stringValue", text)
                default: json.member("stringValue", "\(value)")
                }
            }
        }
    }
}

extension SpanKind {
    /// The number in OTLP's `Span.SpanKind`.
    fileprivate var number: Int {
        switch self {
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        default: 1
        }
    }
}
