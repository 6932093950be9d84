package import HTTP
import HTTPTypes

/// The header fields in every response that tell browsers to be strict.
package struct SecurityFields: Sendable {
    private let pages: WrittenFields
    private let embeds: WrittenFields
    private let others: WrittenFields

    /// - Parameters:
    ///   - imageHost: Where pages and embeds may also have images from, such as `https://host`; `nil`
    ///     for nowhere.
    ///   - strictTransportLifetime: How long browsers must insist on TLS, in seconds; 0 omits the
    ///     field.
    package init(imageHost: String?, strictTransportLifetime: Int) {
        var common = [
            HTTPField(name: .xContentTypeOptions, value: "nosniff"),
            HTTPField(name: .referrerPolicy, value: "strict-origin-when-cross-origin"),
            HTTPField(name: .permissionsPolicy, value: Self.permissions),
            HTTPField(name: .crossOriginOpenerPolicy, value: "same-origin"),
        ]
        if strictTransportLifetime > 0 {
            common.append(
                HTTPField(
                    name: .strictTransportSecurity,
                    value: "max-age=\(strictTransportLifetime)"))
        }
        func fields(_ policy: [String], resources: String) -> WrittenFields {
            WrittenFields(
                common + [
                    HTTPField(
                        name: .contentSecurityPolicy, value: policy.joined(separator: "; ")),
                    HTTPField(name: .crossOriginResourcePolicy, value: resources),
                ])
        }
        let images = (["img-src 'self'"] + [imageHost].compactMap(\.self)).joined(separator: " ")
        pages = fields(Self.pagePolicy(images), resources: "same-origin")
        embeds = fields(Self.embedPolicy(images), resources: "cross-origin")
        // Other sites may show our images and read our documents for programs. Many sites put
        // embeds into a sandboxed frame, whose origin differs even from that of its own stylesheet.
        others = fields(Self.otherPolicy, resources: "cross-origin")
    }

    /// Adds the fields. No other code sets them.
    package func add(to response: inout Response, of kind: AddressKind) {
        response.writtenFields =
            switch kind {
            case .page: pages
            case .embed: embeds
            case .api, .plainAPI, .document: others
            // An error at the address of a file is a page.
            case .file: Self.isPage(response) ? pages : others
            }
    }

    private static func isPage(_ response: Response) -> Bool {
        response.headerFields.value(of: .contentType) == htmlType
    }

    private static let htmlType = MediaType.html.description

    /// Allows only our styles, fonts, scripts, API, manifest and icons, and images from the application's
    /// image host.
    private static func pagePolicy(_ images: String) -> [String] {
        [
            "default-src 'none'", "style-src 'self'", "script-src 'self'", "connect-src 'self'",
            images, "font-src 'self'", "manifest-src 'self'",
            "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
        ]
    }

    /// An embed may be in anyone's frame, so it must contain nothing that a click could do.
    private static func embedPolicy(_ images: String) -> [String] {
        [
            "default-src 'none'", "style-src 'self'", images,
            "form-action 'none'", "base-uri 'none'", "frame-ancestors *",
        ]
    }

    private static let otherPolicy = [
        "default-src 'none'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
    ]

    private static let permissions = [
        "camera", "display-capture", "geolocation", "microphone", "payment", "usb",
    ].map { "\($0)=()" }.joined(separator: ", ")
}
