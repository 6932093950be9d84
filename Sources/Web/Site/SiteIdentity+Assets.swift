import FaveGames
import JSON
import Languages
import Views

extension SiteIdentity {
    /// Files of `Views/assets` with the site's name, language and colours.
    func branded(_ files: [String: [UInt8]], in language: Language) -> [String: [UInt8]] {
        var files = files
        if let manifest = files[Self.manifest] { files[Self.manifest] = named(manifest, language) }
        return accent == .standard ? files : files.mapValues(colored)
    }

    private static let manifest = "site.webmanifest"

    private func named(_ manifest: [UInt8], _ language: Language) -> [UInt8] {
        guard case .object(var members)? = try? JSONParser.parse(manifest) else { return manifest }
        members["name"] = .string(name)
        members["short_name"] = .string(name)
        members["description"] = .string(description.string(in: language))
        members["lang"] = .string(language.tag)
        members["dir"] = .string(language.isRightToLeft ? "rtl" : "ltr")
        return Array(JSONValue.object(members).indented().utf8)
    }

    /// A stylesheet or an icon in the site's colours, which are the only ones of their value there.
    private func colored(_ file: [UInt8]) -> [UInt8] {
        let standard = Accent.standard
        var file = file
        // Before the others, since a site's own colour may be the same as this one's standard.
        for (old, new) in [
            (standard.onDark, accent.onDark), (standard.light, accent.light),
            (standard.dark, accent.dark), (standard.icon, accent.icon),
        ] {
            file.replace(old.description.utf8, with: Array(new.description.utf8))
        }
        file.recolorPalettes(from: standard.icon.bytes, to: accent.icon.bytes)
        return file
    }
}

extension [UInt8] {
    /// Replaces a colour in the palette of a PNG, or of each PNG in an icon (RFC 2083 section 4.1.2).
    fileprivate mutating func recolorPalettes(from old: [UInt8], to new: [UInt8]) {
        for range in ranges(of: Array("PLTE".utf8)) where range.lowerBound >= 4 {
            let length = self[range.lowerBound - 4..<range.lowerBound].reduce(0) {
                $0 << 8 | Int($1)
            }
            let end = range.upperBound + length
            guard end + 4 <= count else { continue }
            for start in stride(from: range.upperBound, to: end - 2, by: 3)
            where self[start..<start + 3].elementsEqual(old) {
                replaceSubrange(start..<start + 3, with: new)
            }
            let checksum = Self.checksum(of: self[range.lowerBound..<end])
            replaceSubrange(
                end..<end + 4, with: [24, 16, 8, 0].map { UInt8(checksum >> $0 & 0xFF) })
        }
    }

    /// The CRC-32 of a chunk: RFC 2083 section 3.4.
    private static func checksum(of bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { checksum, byte in
            (0..<8).reduce(checksum ^ UInt32(byte)) { rest, _ in
                rest & 1 == 1 ? rest >> 1 ^ 0xEDB8_8320 : rest >> 1
            }
        }
    }
}
