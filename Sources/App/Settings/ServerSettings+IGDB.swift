import FaveGames
import GameSearch
import IGDB

// How games are found.
extension ServerSettings {
    /// - Returns: `nil` if there are no credentials.
    static func igdb(_ reader: SettingsReader) throws(SettingError) -> IGDBConfiguration? {
        let settings = Settings.igdb
        let id = try reader.value(settings.clientID)
        let secret = try reader.value(settings.clientSecret)
        guard id != nil || secret != nil else { return nil }
        guard let id, let secret else {
            throw SettingError(
                "\(settings.clientID.name) and \(settings.clientSecret.name) must be set together.")
        }
        return IGDBConfiguration(
            clientID: id, clientSecret: secret,
            apiURL: try reader.value(Settings.unlisted.igdbURL),
            tokenURL: try reader.value(Settings.unlisted.igdbTokenURL))
    }

    static func gameSearch(
        _ reader: SettingsReader
    ) throws(SettingError) -> GameDirectory.Terms {
        var terms = GameDirectory.Terms()
        terms.patience = try reader.value(Settings.unlisted.igdbWait)
        return terms
    }
}

extension ServerSettings {
    /// Where browsers get covers from.
    static func covers(_ reader: SettingsReader) throws(SettingError) -> CoverImage.Source {
        let (setting, source) = (Settings.games.servesCovers, Settings.service.coverImagesURL)
        guard try reader.value(setting) else { return .igdb }
        guard try reader.value(source) != "off" else {
            throw SettingError("\(setting.name)=proxied needs \(source.name).")
        }
        return .site
    }
}
