import GameSearch
import IGDB

// Where games come from.
extension ServerSettings {
    /// - Returns: `nil` without credentials.
    static func igdb(_ reader: SettingsReader) throws(SettingError) -> IGDBConfiguration? {
        let id = try reader.text(.igdbClientID)
        let secret = try reader.text(.igdbClientSecret)
        guard id != nil || secret != nil else { return nil }
        guard let id, let secret else {
            throw SettingError("IGDB_CLIENT_ID and IGDB_CLIENT_SECRET belong together.")
        }
        return IGDBConfiguration(
            clientID: id, clientSecret: secret,
            apiURL: try address(.igdbURL, reader) ?? IGDBConfiguration.standardAPIURL,
            tokenURL: try address(.twitchTokenURL, reader) ?? IGDBConfiguration.standardTokenURL)
    }

    private static func address(
        _ setting: Setting, _ reader: SettingsReader
    ) throws(SettingError) -> String? {
        guard let text = try reader.text(setting) else { return nil }
        guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
            throw SettingError(
                "\(setting.name) is \"\(text)\"; it must be an http or https address.")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    static func gameSearch(
        _ reader: SettingsReader
    ) throws(SettingError) -> GameDirectory.Terms {
        var terms = GameDirectory.Terms()
        terms.patience = try reader.seconds(.igdbWait, default: terms.patience)
        terms.maximumAge = .seconds(
            3600 * (try reader.number(.igdbMaximumAge, in: 1...8760, default: 24)))
        terms.memoryLimit = try reader.number(
            .searchMemory, in: 10...20_000, default: terms.memoryLimit)
        return terms
    }
}
