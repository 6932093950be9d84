import Foundation

/// A user's handle in links: 2 to 30 characters of `a-z 0-9 _ -`.
public struct Username: Hashable, Sendable, CustomStringConvertible {
    public static let lengths = 2...30
    /// Of what people type, with an at sign before the handle.
    public static let textLimit = "@".count + lengths.upperBound
    /// What a handle looks like, in words.
    public static let form =
        "\(lengths.lowerBound)–\(lengths.upperBound) characters: a–z, 0–9, _ or -."
    /// How many days pass until someone else can take a former handle.
    public static let daysHeld = 90

    public let description: String

    /// Reads a handle that someone typed, perhaps as `@rob` or with white space around it. Capital letters
    /// become small letters.
    ///
    /// - Returns: `nil` if the text is malformed. Reserved names are well-formed.
    public init?(_ text: String) {
        let bytes = AccountName.clean(text).utf8.map { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
        }
        guard Self.lengths.contains(bytes.count), bytes.allSatisfy(Self.isAllowed) else {
            return nil
        }
        description = String(decoding: bytes, as: UTF8.self)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Whether the name is reserved, because it begins one of our paths or looks official at a
    /// glance.
    public var isReserved: Bool {
        Self.reservedLookalikes.contains(lookalike.replacing("i", with: "l"))
    }

    /// The name's look at a glance: the same for names that are easily mistaken for each other. The
    /// database's function `lookalike` returns the same.
    public var lookalike: String {
        String(
            description.map { character in
                switch character {
                case "0": "o"
                case "1": "l"
                case "-": "_"
                default: character
                }
            }
        ).replacing("rn", with: "m").replacing("vv", with: "w")
    }

    private static let reservedLookalikes = Set(
        reserved.map { Username(unchecked: $0).lookalike.replacing("i", with: "l") })

    private static let reserved: Set<String> = [
        "about", "account", "admin", "administrator", "anonymous", "api", "assets", "auth",
        "circle", "circles", "contact", "covers", "embed", "entries", "everyone", "favicon", "feed",
        "followers", "following", "game", "games", "health",
        "help", "home", "igdb", "imprint", "language", "legal", "list", "lists", "login", "logout",
        "mail",
        "me",
        "moderation", "moderator",
        "nobody", "null", "official", "oauth", "oembed", "operator", "ping", "platform",
        "platforms", "privacy", "ready", "report", "robots", "root", "rules", "search", "security",
        "sessions",
        "settings",
        "sign-in", "sign-out", "sign-up", "signin", "signout", "signup", "sitemap", "staff",
        "static", "status", "support", "system", "terms", "undefined", "user", "users",
        "well-known", "www",
    ]

    /// Makes a handle from an identity provider's name for a person, which may be any text: of a mail
    /// address, the part before the host.
    ///
    /// - Parameter attempt: 0 for the name itself; higher numbers add a suffix that makes it a
    ///   different name.
    /// - Returns: A handle that is not reserved; `player…` if nothing of `text` can be used.
    public static func suggestion(from text: String?, attempt: Int) -> Username {
        var bytes: [UInt8] = []
        for byte in text.map(inBasicLetters)?.utf8 ?? "".utf8 {
            if isAllowed(byte) {
                bytes.append(byte)
            } else if bytes.last != UInt8(ascii: "-"), !bytes.isEmpty {
                bytes.append(UInt8(ascii: "-"))
            }
        }
        let suffix = attempt == 0 ? "" : "-\(attempt + 1)"
        bytes = Array(bytes.prefix(lengths.upperBound - suffix.utf8.count))
        while bytes.last == UInt8(ascii: "-") { bytes.removeLast() }
        let base = String(decoding: bytes, as: UTF8.self)
        // "admin-2" would look as official as "admin".
        if let plain = Username(base), !plain.isReserved, let name = Username(base + suffix),
            !name.isReserved
        {
            return name
        }
        return Username("player" + suffix) ?? .fallback
    }

    /// Whether a text has enough to make a handle of it.
    public static func isSuggested(by text: String) -> Bool {
        suggestion(from: text, attempt: 0) != fallback
    }

    /// A name in small letters, as far as possible those of ASCII: "zoe.muller", "ivan petrov". How a
    /// Chinese character is read depends on the language, so these are left.
    private static func inBasicLetters(_ text: String) -> String {
        let name = text.drop { $0 == "@" || $0.isWhitespace }.prefix { $0 != "@" }.prefix(100)
        let letters = name.precomposedStringWithCompatibilityMapping
            .applyingTransform(StringTransform("[:^Han:] Any-Latin; Latin-ASCII"), reverse: false)
        return (letters ?? String(name)).lowercased()
    }

    private static let fallback = Username(unchecked: "player")

    private init(unchecked text: String) { description = text }
}
