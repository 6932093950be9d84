import FaveGames
import Foundation
import Identity

// The rules for accounts, and the providers and issuers that are trusted to identify people.
extension ServerSettings {
    static func accounts(_ reader: SettingsReader) throws(SettingError) -> AccountPolicy {
        let settings = Settings.accounts
        var policy = AccountPolicy()
        policy.signUp = try reader.value(settings.signUp)
        policy.newListDelayHours = try reader.value(settings.newListDelay)
        policy.refusedWords = try reader.value(settings.refusedWords)
        policy.hasLocalAccounts = try reader.value(settings.hasLocalAccounts)
        policy.attemptsPerName = AttemptLimit(
            try reader.value(settings.signInsPerName), per: policy.attemptsPerName.period)
        policy.attemptsPerAddress = AttemptLimit(
            try reader.value(settings.signInsPerAddress), per: policy.attemptsPerAddress.period)
        policy.signUpsPerAddress = AttemptLimit(
            try reader.value(settings.signUpsPerAddress), per: policy.signUpsPerAddress.period)
        policy.sessionLifetime = SessionLifetime(
            idle: try reader.value(settings.sessionIdle),
            absolute: try reader.value(settings.session))
        policy.accessTokenLifetime = try reader.value(settings.accessToken)
        return policy
    }

    static func checkSignIn(_ reader: SettingsReader) throws(SettingError) {
        let hasLocalAccounts = try reader.value(Settings.accounts.hasLocalAccounts)
        let providers = try providers(reader)
        let issuers = try trustedIssuers(reader, providers)
        guard hasLocalAccounts || !providers.isEmpty || !issuers.isEmpty else {
            throw SettingError(
                "LOCAL_ACCOUNTS is off and OIDC_ISSUER is not set, so no one could sign in.")
        }
    }

    static func providers(_ reader: SettingsReader) throws(SettingError) -> [OpenIDConfiguration] {
        var providers: [OpenIDConfiguration] = []
        for settings in Settings.openIDProviders {
            guard let provider = try provider(settings, reader) else { continue }
            guard !providers.contains(where: { $0.issuer == provider.issuer }) else {
                throw SettingError(
                    "\(settings.issuer.name) is the same as that of another provider.")
            }
            providers.append(provider)
        }
        return providers
    }

    /// - Returns: `nil` if none of its settings is given.
    static func provider(
        _ settings: Settings.OpenID, _ reader: SettingsReader
    ) throws(SettingError) -> OpenIDConfiguration? {
        guard try reader.uses(settings, needing: settings.issuer, settings.clientID),
            let issuer = try reader.value(settings.issuer),
            let id = try reader.value(settings.clientID)
        else { return nil }
        try check(issuer, settings.issuer)
        let scopes = try reader.value(settings.scopes)
        guard scopes.split(separator: " ").contains("openid") else {
            throw SettingError("\(settings.scopes.name) must include \"openid\".")
        }
        let host = issuer.split(separator: "/").dropFirst().first.map { String($0) } ?? issuer
        return OpenIDConfiguration(
            key: settings.number == 1 ? "oidc" : "oidc-\(settings.number)",
            name: try reader.value(settings.name) ?? host, issuer: issuer, clientID: id,
            clientSecret: try reader.value(settings.clientSecret), scopes: scopes,
            usernameClaim: try reader.value(settings.usernameClaim))
    }

    private static func check(_ issuer: String, _ setting: any AnySetting) throws(SettingError) {
        guard issuer.hasPrefix("https://") || issuer.hasPrefix("http://"),
            !issuer.contains(where: { $0.isWhitespace || $0 == "?" || $0 == "#" })
        else {
            throw SettingError(
                setting, issuer,
                mustBe: "an http or https address, exactly as in the provider's metadata")
        }
    }

    static func trustedIssuers(
        _ reader: SettingsReader, _ providers: [OpenIDConfiguration]
    ) throws(SettingError) -> [TrustedIssuerConfiguration] {
        let stated = try reader.value(Settings.issuer.issuer)
        let audience = try reader.value(Settings.issuer.audience)
        let url = try reader.value(Settings.issuer.keySetURL)
        guard stated != nil || audience != nil || url != nil else { return [] }
        guard let audience, let issuer = stated ?? providers.first?.issuer else {
            throw SettingError(
                "JWT_ISSUER (or OIDC_ISSUER) and JWT_AUDIENCE must be set together, with "
                    + "JWKS_URL if the issuer has no metadata.")
        }
        guard issuer != SigningKey.issuer else {
            throw SettingError("JWT_ISSUER must not be \"\(issuer)\": that is this server itself.")
        }
        let keys: TrustedIssuerConfiguration.Keys
        if let url {
            keys = try self.keys(at: url)
        } else {
            guard issuer.hasPrefix("https://") || issuer.hasPrefix("http://") else {
                throw SettingError("JWT_ISSUER is not an http or https address, so set JWKS_URL.")
            }
            keys = .discovered
        }
        return [TrustedIssuerConfiguration(issuer: issuer, audience: audience, keys: keys)]
    }

    private static func keys(
        at url: String
    ) throws(SettingError) -> TrustedIssuerConfiguration.Keys {
        let setting = Settings.issuer.keySetURL
        if url.hasPrefix("https://") || url.hasPrefix("http://") { return .url(url) }
        guard url.hasPrefix("file:///") else {
            throw SettingError(setting, url, mustBe: "an http or https address, or file:///path")
        }
        let path = String(url.dropFirst("file://".count))
        do throws(OperatorError) {
            let bytes = try SettingFile.contents(of: path, for: setting, limit: keyFileLimit)
            return .contents(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw SettingError(error.description)
        }
    }

    private static let keyFileLimit = 1 << 18
}
