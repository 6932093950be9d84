// swift-tools-version: 6.2
import PackageDescription

// CI sets this variable. Elsewhere, a newer compiler's new warnings must not break an installation.
let warnings: [SwiftSetting] =
    Context.environment["WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

let tests: [SwiftSetting] =
    warnings + [.enableUpcomingFeature("ExistentialAny"), .swiftLanguageMode(.v6)]

let imports: [SwiftSetting] =
    tests + [
        // A member can be called only where its module is imported. So a file of `Web` can't call a member of
        // `StorageWrites` just because another target imports it.
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]

/// Lifetimes let a function return a view of bytes (SE-0446).
let strict: [SwiftSetting] = [.strictMemorySafety(), .enableExperimentalFeature("Lifetimes")]

let swift: [SwiftSetting] = imports + strict

/// For templates, which all import the same modules, whatever their parameters need.
let views: [SwiftSetting] =
    tests + strict + [.enableUpcomingFeature("MemberImportVisibility")]

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(
    name: "CryptoExtras", package: "swift-crypto")
let jwtKit = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let arguments = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")
let configuration = Target.Dependency.product(
    name: "Configuration", package: "swift-configuration")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
    name: "fave-games",
    products: [
        // Also fave-admin, if it is called by that name: script/build makes the link.
        .executable(name: "fave-server", targets: ["fave-server"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
    ],
    targets: [
        // C headers as modules.
        .target(name: "CLinux"),
        // script/package sets this variable.
        .target(
            name: "CRelease",
            cSettings: [.define("COMMIT", to: "\"\(Context.environment["COMMIT"] ?? "")\"")]),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(name: "CLibCurl", linkerSettings: [.linkedLibrary("curl")]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CLibDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        // Uses cairo's pkg-config flags, not pangocairo's; the header in Sources/CPango says why.
        .systemLibrary(
            name: "CPango", pkgConfig: "cairo", providers: [.apt(["libpango1.0-dev"])]),
        .systemLibrary(
            name: "CTurboJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(
            name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),

        // Text encodings that the other targets share.
        .target(name: "Encodings", swiftSettings: swift),

        // The languages of pages and mail, and words that are not yet written in one.
        .target(name: "Languages", dependencies: ["HTTP"], swiftSettings: swift),

        // Metrics for Prometheus, recorded with swift-metrics.
        .target(name: "Monitoring", dependencies: [metrics], swiftSettings: swift),

        // Network I/O and the protocols spoken over it.
        .target(
            name: "Sockets",
            dependencies: ["CLinux", "COpenSSL", "Encodings", "Monitoring", deque, heap],
            swiftSettings: swift),
        .target(
            name: "HTTP", dependencies: ["CLibDeflate", "Encodings", httpTypes],
            swiftSettings: swift),
        .target(
            name: "HTTPServer", dependencies: ["Sockets", "HTTP", httpTypes],
            swiftSettings: swift),
        .target(
            name: "Transfers", dependencies: ["Sockets", "CLibCurl"], swiftSettings: swift),
        .target(
            name: "HTTPClient",
            dependencies: [
                "Sockets", "CLibCurl", "Encodings", "Monitoring", "Transfers", httpTypes,
            ],
            swiftSettings: swift),
        .target(
            name: "Postgres",
            dependencies: ["Sockets", "CLibPQ", "Encodings", "Monitoring", deque, logging],
            swiftSettings: swift),

        .target(name: "CSV", swiftSettings: swift),
        .target(name: "JSON", dependencies: ["Encodings"], swiftSettings: swift),

        // Slow work: a pool of workers, sharing of work in progress, and caches of results.
        .target(name: "Work", dependencies: ["Sockets", deque, logging], swiftSettings: swift),

        // The frame of a web application: routes, their inputs and responses, and what follows from
        // them. It knows nothing of games.
        .target(
            name: "Endpoints",
            dependencies: [
                "Encodings", "HTTP", "JSON", "Languages", "Sockets", crypto, httpTypes, logging,
            ],
            swiftSettings: swift),

        // Files not written in Swift that are compiled or embedded into the program.
        .executableTarget(name: "view-compiler", swiftSettings: swift),
        .plugin(
            name: "CompileViews", capability: .buildTool(), dependencies: ["view-compiler"],
            path: "Sources/CompileViews"),
        .plugin(
            name: "EmbedFiles", capability: .buildTool(), dependencies: ["view-compiler"],
            path: "Sources/EmbedFiles"),
        .target(name: "EmbeddedFiles", swiftSettings: swift),
        .target(
            name: "Migrations",
            dependencies: ["EmbeddedFiles", "Encodings", "Postgres", crypto], path: "Migrations",
            swiftSettings: swift, plugins: ["EmbedFiles"]),
        .target(
            name: "Views",
            dependencies: ["EmbeddedFiles", "Encodings", "FaveGames", "HTTP", "JSON", "Languages"],
            path: "Views", exclude: ["README.md", "Languages/messages.pot"], swiftSettings: views,
            plugins: ["CompileViews", "EmbedFiles"]),

        // Verifies signatures, of tokens and of passkeys.
        .target(name: "Signatures", dependencies: [crypto, cryptoExtras], swiftSettings: swift),

        // Passkeys: the relying party's side of WebAuthn, without any I/O.
        .target(
            name: "WebAuthn",
            dependencies: ["Encodings", "JSON", "Signatures", crypto, cryptoExtras],
            swiftSettings: swift),

        // The application: the domain model and everything built on it.
        .target(
            name: "FaveGames", dependencies: ["Encodings", "Languages"], swiftSettings: swift),
        .target(
            name: "Mail",
            dependencies: ["Encodings", "FaveGames", "CLibCurl", "HTTP", "Sockets", "Transfers"],
            swiftSettings: swift),
        // Which cached values of the database are still current.
        .target(
            name: "Freshness", dependencies: ["Postgres", "Sockets", "Work"], swiftSettings: swift),
        .target(
            name: "Storage",
            dependencies: ["Encodings", "FaveGames", "Freshness", "Postgres", "Sockets"],
            swiftSettings: swift),
        // The members of `Store` that write. `Web` doesn't declare it, and ArchitectureTests compares imports
        // with what is declared: the compiler finds every module that is built.
        .target(
            name: "StorageWrites",
            dependencies: ["Encodings", "FaveGames", "Freshness", "Postgres", "Storage"],
            swiftSettings: swift),
        // How often something may be tried.
        .target(
            name: "Attempts",
            dependencies: [
                "Encodings", "FaveGames", "Sockets", "Storage", "StorageWrites", crypto,
            ],
            swiftSettings: swift),
        .target(
            name: "ShareCard",
            dependencies: [
                "FaveGames", "Languages", "CPango", "CQREncode", "CTurboJPEG", "Encodings",
                "Sockets", "Work",
                crypto,
                logging, "Views",
            ],
            swiftSettings: imports),
        .target(
            name: "Identity",
            dependencies: [
                "Attempts", "Encodings", "FaveGames", "Storage", "StorageWrites", "WebAuthn",
                "Sockets",
                "HTTPClient", "HTTP", "JSON", "Signatures", "Work",
                httpTypes, crypto, cryptoExtras, logging,
            ],
            swiftSettings: swift),
        .target(
            name: "IGDB",
            dependencies: [
                "Encodings", "FaveGames", "HTTPClient", "Languages", "Sockets", "JSON", "Work",
                httpTypes, logging,
            ],
            swiftSettings: swift),
        // Lists from elsewhere, as suggestions.
        .target(
            name: "Imports",
            dependencies: [
                "CSV", "FaveGames", "JSON", "Sockets", "Storage",
                "StorageWrites", "Work",
                logging,
            ],
            swiftSettings: swift),
        .target(
            name: "GameSearch",
            dependencies: [
                "FaveGames", "IGDB", "Storage", "StorageWrites", "Sockets", "Work", logging,
            ],
            swiftSettings: swift),
        // Sends mail and messages to webhooks, from queues in the database.
        .target(
            name: "Outbox",
            dependencies: [
                "Encodings", "FaveGames", "HTTP", "HTTPClient", "Identity", "Languages", "Mail",
                "Monitoring", "Postgres", "Sockets", "Storage", "StorageWrites", "Views", "Work",
                crypto, httpTypes, logging, metrics,
            ],
            swiftSettings: swift),
        // What people can do, with the rules for it.
        .target(
            name: "Actions",
            dependencies: [
                "Attempts", "Encodings", "FaveGames", "GameSearch", "Identity", "Outbox", "Storage",
                "StorageWrites",
            ],
            swiftSettings: swift),
        .target(
            name: "Web",
            dependencies: [
                "Actions", "Attempts", "CSV", "Endpoints", "FaveGames", "Freshness", "GameSearch",
                "IGDB", "Imports", "Outbox", "Storage",
                "Identity", "JSON", "Languages",
                "HTTP", "HTTPServer",
                "Encodings", "Monitoring", "Postgres", "ShareCard", "Sockets", "Views",
                "WebAuthn", "Work",
                httpTypes,
                crypto, logging,
            ],
            swiftSettings: swift),
        .target(
            name: "App",
            dependencies: [
                "Actions", "CSV", "Web", "Demo", "Endpoints", "Freshness", "Imports", "Mail",
                "GameSearch",
                "IGDB",
                "Identity", "Languages", "Outbox",
                "Storage", "StorageWrites", "FaveGames",
                "Postgres",
                "HTTPServer", "HTTPClient", "ShareCard", "EmbeddedFiles", "Migrations",
                "HTTP", "JSON", "Monitoring", "Sockets", "Views", "CLinux", "CRelease",
                "Encodings", crypto,
                "Work", httpTypes, metrics,
                arguments, configuration, lifecycle,
                logging,
            ],
            swiftSettings: imports, plugins: ["EmbedFiles"]),
        // Demo data: made-up users and their lists.
        .target(
            name: "Demo", dependencies: ["EmbeddedFiles"], swiftSettings: swift,
            plugins: ["EmbedFiles"]),
        .executableTarget(
            name: "fave-server", dependencies: ["App", "COpenSSL"], swiftSettings: swift),

        // A stand-in for IGDB, which tests start as a separate process.
        .target(
            name: "ApicalypseParser", path: "Tests/ApicalypseParser", swiftSettings: tests),
        .executableTarget(
            name: "igdb-stand-in",
            dependencies: ["ApicalypseParser", "HTTP", "Sockets", "JSON", httpTypes],
            path: "Tests/IGDBStandIn", swiftSettings: tests),

        // Tests: one test target for each tested target above, and the browser tests.
        .target(
            name: "TestSupport",
            dependencies: [
                "App", "HTTP", "HTTPServer", "IGDB", "Identity", "Storage", "StorageWrites",
                "Postgres", "Sockets", "FaveGames",
                "COpenSSL", "CLibDeflate", "Migrations", httpTypes, logging, "igdb-stand-in",
            ],
            path: "Tests/TestSupport", swiftSettings: tests),
        .testTarget(
            name: "MonitoringTests", dependencies: ["Monitoring", metrics], swiftSettings: tests),
        .testTarget(
            name: "SocketsTests",
            dependencies: ["COpenSSL", "Encodings", "Sockets", "TestSupport"],
            swiftSettings: tests),
        .testTarget(
            name: "HTTPTests", dependencies: ["HTTP", "TestSupport", httpTypes],
            swiftSettings: tests),
        .testTarget(
            name: "HTTPServerTests",
            dependencies: ["HTTPServer", "HTTP", "Sockets", "TestSupport", httpTypes],
            swiftSettings: tests),
        .testTarget(
            name: "HTTPClientTests",
            dependencies: [
                "HTTPClient", "HTTPServer", "HTTP", "Sockets", "TestSupport", httpTypes,
            ],
            swiftSettings: tests),
        .testTarget(
            name: "PostgresTests",
            dependencies: ["CLibPQ", "Postgres", "Sockets", "TestSupport", logging],
            swiftSettings: tests),
        .testTarget(
            name: "WorkTests", dependencies: ["Work", "Sockets", "TestSupport", logging],
            swiftSettings: tests),
        .testTarget(
            name: "EndpointsTests",
            dependencies: [
                "Encodings", "Endpoints", "HTTP", "JSON", "Languages", "Sockets", crypto, httpTypes,
                logging,
            ],
            swiftSettings: tests),
        .testTarget(
            name: "MigrationsTests", dependencies: ["Migrations", "Postgres", "TestSupport"],
            swiftSettings: tests),
        .testTarget(
            name: "LanguagesTests",
            dependencies: ["HTTP", "Languages", "TestSupport", "view-compiler"],
            swiftSettings: tests),
        .testTarget(
            name: "ViewCompilerTests", dependencies: ["view-compiler"], swiftSettings: tests),
        .testTarget(
            name: "ViewsTests", dependencies: ["Views", "FaveGames", "Languages"],
            swiftSettings: tests),
        .testTarget(name: "CSVTests", dependencies: ["CSV"], swiftSettings: tests),
        .testTarget(
            name: "ImportsTests",
            dependencies: ["CSV", "FaveGames", "Imports"],
            swiftSettings: tests),
        .testTarget(
            name: "FaveGamesTests", dependencies: ["FaveGames", "Languages"], swiftSettings: tests),
        .testTarget(
            name: "MailTests",
            dependencies: ["Mail", "FaveGames", "Sockets", "TestSupport"],
            swiftSettings: tests),
        .testTarget(
            name: "FreshnessTests",
            dependencies: [
                "Freshness", "Postgres", "Sockets", "Storage", "StorageWrites", "TestSupport",
                logging,
            ],
            swiftSettings: tests),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "Storage", "StorageWrites", "FaveGames", "Languages", "Outbox", "Postgres",
                "Sockets",
                "TestSupport",
            ],
            swiftSettings: tests),
        .testTarget(
            name: "ShareCardTests",
            dependencies: [
                "ShareCard", "CPango", "CTurboJPEG", "FaveGames", "TestSupport", "Work",
                logging,
            ],
            swiftSettings: tests),
        .testTarget(
            name: "WebAuthnTests",
            dependencies: ["JSON", "WebAuthn", crypto, cryptoExtras],
            swiftSettings: tests),
        .testTarget(
            name: "IdentityTests",
            dependencies: [
                "Attempts", "Encodings", "Identity", "Storage", "StorageWrites", "Postgres",
                "FaveGames", "HTTPClient",
                "HTTPServer", "HTTP",
                "Sockets", "Work", "TestSupport", jwtKit, crypto, cryptoExtras, httpTypes,
                logging,
            ],
            swiftSettings: tests),
        .testTarget(
            name: "OutboxTests",
            dependencies: [
                "Monitoring",
                "Outbox", "FaveGames", "HTTPClient", "Identity", "Languages", "Mail", "Postgres",
                "Sockets", "Storage", "StorageWrites", "TestSupport", "Views", "Web", crypto,
                httpTypes, logging,
            ],
            swiftSettings: tests),
        .testTarget(
            name: "IGDBTests",
            dependencies: [
                "IGDB", "ApicalypseParser", "FaveGames", "HTTPClient", "Languages", "Sockets",
                "JSON",
                "TestSupport", logging,
            ],
            swiftSettings: tests),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "Actions", "CLibDeflate", "CSV", "Encodings", "Endpoints", "JSON", "WebAuthn",
                crypto,
                "GameSearch",
                "Imports", "Outbox",
                "Web",
                "FaveGames", "Freshness", "Storage", "StorageWrites", "Identity", "HTTP",
                "HTTPServer",
                "HTTPClient", "Languages", "Postgres", "ShareCard", "Sockets", "TestSupport",
                "Views", "Work",
                httpTypes, logging,
            ],
            exclude: ["Pages/Recorded", "Plans/large.sql"], swiftSettings: tests),
        .testTarget(
            name: "BrowserTests",
            dependencies: [
                "FaveGames", "HTTPServer", "HTTP", "Languages", "Sockets", "Storage",
                "StorageWrites", "TestSupport", "Views",
                "view-compiler",
                httpTypes,
            ],
            exclude: ["FrontEnd", "Screenshots"], swiftSettings: tests),
        .testTarget(name: "DemoTests", dependencies: ["Demo"], swiftSettings: tests),
        .testTarget(
            name: "AppTests",
            dependencies: [
                "App", "Demo", "Endpoints", "FaveGames", "Languages", "Web", "Storage",
                "StorageWrites", "Postgres", "Migrations",
                "Sockets", "TestSupport",
                "Outbox", httpTypes, logging,
            ],
            exclude: ["Releases", "Searches"], swiftSettings: tests),
    ]
)

// Only script/fuzz sets FUZZ, to build its program; no other build includes that program. From the
// larger targets it takes only the files that it fuzzes, so that it builds in a minute.
if Context.environment["FUZZ"] == "1" {
    package.products = [.library(name: "Fuzz", type: .static, targets: ["Fuzz"])]
    package.targets = [
        .systemLibrary(
            name: "CLibDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .target(name: "Encodings", swiftSettings: swift),
        .target(
            name: "HTTP", dependencies: ["CLibDeflate", "Encodings", httpTypes],
            swiftSettings: swift),
        .target(name: "CSV", swiftSettings: swift),
        .target(name: "JSON", dependencies: ["Encodings"], swiftSettings: swift),
        .target(name: "Languages", dependencies: ["HTTP"], swiftSettings: swift),
        .target(
            name: "FaveGames", dependencies: ["Encodings", "Languages"], swiftSettings: swift),
        .target(
            name: "Postgres", dependencies: [deque],
            sources: [
                "Dependency.swift", "Pipeline.swift", "PostgresError.swift", "SQLState.swift",
                "Statement.swift",
            ],
            swiftSettings: imports),
        .target(
            name: "Outbox", dependencies: ["Encodings", "FaveGames"],
            sources: ["Webhooks/WebhookAddress.swift"], swiftSettings: swift),
        .target(
            name: "Endpoints", dependencies: ["HTTP", httpTypes],
            sources: ["Cursors/CursorCoding.swift", "Requests/Cookie.swift"],
            swiftSettings: swift),
        .target(
            name: "Web", dependencies: ["Endpoints", "FaveGames"],
            sources: ["SignIn/Cookies.swift", "Inputs/Cursors.swift"],
            swiftSettings: swift),
        .target(
            name: "Fuzz",
            dependencies: [
                "CSV", "Encodings", "Endpoints", "FaveGames", "HTTP", "JSON", "Outbox", "Postgres",
                "Web", httpTypes,
            ],
            path: "Tests/Fuzz", exclude: ["Seeds"], swiftSettings: tests),
    ]
}
