import Foundation
import Identity
import Storage

// Who may come in, and whose word is taken for who they are.
extension ServerSettings {
    static func accounts(_ reader: SettingsReader) throws(SettingError) -> AccountPolicy {
        var policy = AccountPolicy()
        policy.signUpIsOpen = try reader.choice(
            .signUp, { ["open": true, "closed": false][$0.lowercased()] }, default: true)
        policy.hasLocalAccounts = try reader.choice(
            .localAccounts, { ["on": true, "off": false][$0.lowercased()] }, default: true)
        let attempts = 1...1_000_000
        policy.attemptsPerName = AttemptLimit(
            try reader.number(
                .signInsPerName, in: attempts, default: policy.attemptsPerName.count),
            per: policy.attemptsPerName.period)
        policy.attemptsPerAddress = AttemptLimit(
            try reader.number(
                .signInsPerAddress, in: attempts, default: policy.attemptsPerAddress.count),
            per: policy.attemptsPerAddress.period)
        policy.signUpsPerAddress = AttemptLimit(
            try reader.number(
                .signUpsPerAddress, in: attempts, default: policy.signUpsPerAddress.count),
            per: policy.signUpsPerAddress.period)
        let day = 86_400
        policy.sessionLifetime = SessionLifetime(
            idle: .seconds(
                day * (try reader.number(.sessionIdleDays, in: 1...3650, default: 30))),
            absolute: .seconds(
                day * (try reader.number(.sessionDays, in: 1...3650, default: 365))))
        policy.accessTokenLifetime = .seconds(
            60 * (try reader.number(.accessTokenMinutes, in: 1...1440, default: 15)))
        return policy
    }

    static func passwordCost(_ reader: SettingsReader) throws(SettingError) -> Int {
        try reader.number(.passwordCost, in: 4...20, default: 15)
    }

    static func providers(_ reader: SettingsReader) throws(SettingError) -> [OpenIDConfiguration] {
        var providers: [OpenIDConfiguration] = []
        for number in 1...Setting.providerCount {
            guard let provider = try provider(number, reader) else { continue }
            guard !providers.contains(where: { $0.issuer == provider.issuer }) else {
                throw SettingError("The OpenID Connect issuer \(provider.issuer) stands twice.")
            }
            providers.append(provider)
        }
        return providers
    }

    private static func provider(
        _ number: Int, _ reader: SettingsReader
    ) throws(SettingError) -> OpenIDConfiguration? {
        let issuerSetting = Setting.openIDIssuer.ofProvider(number)
        let idSetting = Setting.openIDClientID.ofProvider(number)
        let issuer = try reader.text(issuerSetting)
        let id = try reader.text(idSetting)
        guard issuer != nil || id != nil else { return nil }
        guard let issuer, let id else {
            throw SettingError("\(issuerSetting.name) and \(idSetting.name) belong together.")
        }
        try check(issuer, issuerSetting)
        let scopes = try reader.text(.openIDScopes.ofProvider(number)) ?? "openid profile email"
        guard scopes.split(separator: " ").contains("openid") else {
            throw SettingError(
                "\(Setting.openIDScopes.ofProvider(number).name) must name \"openid\".")
        }
        let host = issuer.split(separator: "/").dropFirst().first.map { String($0) } ?? issuer
        return OpenIDConfiguration(
            key: number == 1 ? "oidc" : "oidc-\(number)",
            name: try reader.text(.openIDName.ofProvider(number)) ?? host, issuer: issuer,
            clientID: id, clientSecret: try reader.text(.openIDClientSecret.ofProvider(number)),
            scopes: scopes,
            usernameClaim: try reader.text(.openIDUsernameClaim.ofProvider(number)))
    }

    private static func check(_ issuer: String, _ setting: Setting) throws(SettingError) {
        guard issuer.hasPrefix("https://") || issuer.hasPrefix("http://"),
            !issuer.contains(where: { $0.isWhitespace || $0 == "?" || $0 == "#" })
        else {
            throw SettingError(
                "\(setting.name) is \"\(issuer)\"; it must be an http or https address, as the "
                    + "provider's metadata writes it.")
        }
    }

    static func trustedIssuers(
        _ reader: SettingsReader, _ providers: [OpenIDConfiguration]
    ) throws(SettingError) -> [TrustedIssuerConfiguration] {
        let stated = try reader.text(.jwtIssuer)
        let audience = try reader.text(.jwtAudience)
        let url = try reader.text(.jwksURL)
        let file = try reader.text(.jwtKeyFile)
        guard stated != nil || audience != nil || url != nil || file != nil else { return [] }
        guard let audience, let issuer = stated ?? providers.first?.issuer,
            url == nil || file == nil
        else {
            throw SettingError(
                "JWT_ISSUER (or OIDC_ISSUER) and JWT_AUDIENCE belong together, with JWKS_URL or "
                    + "JWT_KEY_FILE if the issuer has no metadata.")
        }
        guard issuer != SigningKey.issuer else {
            throw SettingError("JWT_ISSUER must not be \"\(issuer)\": that is this server itself.")
        }
        let keys: TrustedIssuerConfiguration.Keys
        if let url {
            guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
                throw SettingError("JWKS_URL is \"\(url)\"; it must be an http or https address.")
            }
            keys = .url(url)
        } else if let file {
            guard let data = FileManager.default.contents(atPath: file),
                let text = String(data: data, encoding: .utf8)
            else { throw SettingError("JWT_KEY_FILE: \(file) cannot be read.") }
            keys = .contents(text)
        } else {
            guard issuer.hasPrefix("https://") || issuer.hasPrefix("http://") else {
                throw SettingError("JWT_ISSUER is no address, so set JWKS_URL or JWT_KEY_FILE.")
            }
            keys = .discovered
        }
        let provider = providers.first { $0.issuer == issuer }
        let usernameClaim =
            if let provider { provider.usernameClaim } else {
                try reader.text(.openIDUsernameClaim)
            }
        return [
            TrustedIssuerConfiguration(
                issuer: issuer, audience: audience, keys: keys, usernameClaim: usernameClaim)
        ]
    }
}
