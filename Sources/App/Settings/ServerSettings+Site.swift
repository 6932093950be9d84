import FaveGames
import Foundation
import Languages
import Views

extension ServerSettings {
    /// What the site says about itself. Reads the files that its settings name.
    static func site(_ reader: SettingsReader) throws(SettingError) -> SiteIdentity {
        let settings = Settings.site
        var site = SiteIdentity()
        site.name = try reader.value(settings.name)
        site.ownDescription = try reader.value(settings.description)
        site.contact = try reader.value(settings.contact)
        site.rules = try text(settings.rulesFile, reader)
        site.imprint = try text(settings.imprintFile, reader)
        site.accent = try accent(reader)
        return site
    }

    /// The languages that pages are in.
    static func languages(_ reader: SettingsReader) throws(SettingError) -> OfferedLanguages {
        let settings = Settings.site
        let own = try reader.value(settings.language)
        guard let offered = try reader.value(settings.languages) else {
            let usable = Language.usable
            return OfferedLanguages(site: own, usable.contains(own) ? usable : usable + [own])
        }
        guard offered.contains(own) else {
            let tags = offered.map(\.tag).joined(separator: ",")
            throw SettingError(
                settings.language, own.tag, mustBe: "one of \(settings.languages.name), \(tags)")
        }
        return OfferedLanguages(site: own, offered)
    }

    static func text(
        _ setting: Setting<String?>, _ reader: SettingsReader
    ) throws(SettingError) -> SiteText? {
        guard let path = try reader.value(setting) else { return nil }
        let bytes: [UInt8]
        do throws(OperatorError) {
            bytes = try SettingFile.contents(of: path, for: setting, limit: SiteText.limit)
        } catch {
            throw SettingError(error.description)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SettingError("\(setting.name): \(path) is not UTF-8. Save it as UTF-8.")
        }
        let document = SiteText(text)
        guard !document.blocks.isEmpty else {
            throw SettingError("\(setting.name): there is no text in \(path).")
        }
        return document
    }

    static func accent(_ reader: SettingsReader) throws(SettingError) -> Accent {
        let setting = Settings.site.accentColor
        guard let color = try reader.value(setting) else { return .standard }
        do throws(UnreadableColor) {
            return try Accent(color)
        } catch {
            // Rounded down, so that a ratio that isn't enough doesn't look like it.
            let ratio = (error.ratio * 100).rounded(.down) / 100
            throw SettingError(
                setting, "\(color)",
                mustBe: """
                    darker, to be read: its contrast with the background \(error.ground) is \
                    \(ratio):1, and 4.5:1 is the least. The nearest colour of the same hue that is dark \
                    enough is \(error.nearest)
                    """)
        }
    }
}
