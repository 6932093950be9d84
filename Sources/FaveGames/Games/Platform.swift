import Encodings

/// A system that games run on. Its id is IGDB's.
public struct Platform: Hashable, Sendable {
    public let id: Int
    /// The platform's name in paths: lower-case letters, digits and hyphens. It has at least one
    /// letter, so that it cannot be mistaken for an id.
    public let slug: String
    public let name: String
    public let abbreviation: String?

    public init(id: Int, slug: String, name: String, abbreviation: String?) {
        self.id = id
        self.slug = slug
        self.name = name
        self.abbreviation = abbreviation
    }
}

extension Platform {
    /// The name for places with little room: what people call the platform, such as "PC" or "DS". It
    /// is the full name unless a shorter one is common.
    public var shortName: String { Self.shortNames[id] ?? name }

    /// Common short names by platform. IGDB's abbreviations include "XONE", "NDS" and "Series X|S",
    /// and many are identifiers rather than names.
    private static let shortNames = [
        4: "N64", 6: "PC", 7: "PS1", 8: "PS2", 9: "PS3", 15: "C64", 18: "NES", 19: "SNES", 20: "DS",
        21: "GameCube", 22: "GBC", 24: "GBA", 29: "Mega Drive", 32: "Saturn", 35: "Game Gear",
        37: "3DS", 38: "PSP", 46: "PS Vita", 48: "PS4", 50: "3DO", 51: "Famicom Disk", 55: "Mobile",
        61: "Lynx", 62: "Jaguar", 63: "Atari ST", 64: "Master System", 65: "Atari 8-bit",
        69: "BBC Micro", 71: "VIC-20", 79: "Neo Geo MVS", 80: "Neo Geo", 82: "Browser",
        86: "PC Engine", 99: "Famicom", 113: "OnLive", 120: "NGP Color", 129: "TI-99",
        130: "Switch", 131: "SNES CD", 137: "New 3DS", 150: "PC Engine CD", 151: "TRS-80 CoCo",
        159: "DSi",
        165: "PS VR", 167: "PS5", 169: "Xbox Series", 170: "Stadia", 385: "Rift", 384: "Quest",
        386: "Quest 2", 390: "PS VR2", 471: "Quest 3", 508: "Switch 2",
    ]
}

/// How a path or a query names a platform.
public enum PlatformReference: Hashable, Sendable {
    case id(Int)
    case slug(String)

    /// - Returns: `nil` if the text can be neither.
    public init?(_ text: String) {
        if let id = GameID.parse(text) {
            self = .id(id)
        } else if text.consists(
            of: { $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }, bytes: 1...64
        ) {
            self = .slug(text)
        } else {
            return nil
        }
    }
}
