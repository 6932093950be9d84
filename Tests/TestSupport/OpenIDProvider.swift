import Foundation
import Synchronization

/// An OpenID provider of the test process's own: Canaille on a free port of the loopback, with a
/// database in a temporary folder, gone when the process is, however it ends.
///
/// `script/setup --test-all` installs it. It knows nobody and no client at first.
public final class OpenIDProvider: Sendable {
    /// The identifier that discovery starts from, without a slash at the end.
    public let issuer: String
    private let port: Int
    /// The shell that looks after the provider ends it when this pipe closes.
    private let leash: Pipe
    private let people = Mutex<[String: Person]>([:])

    /// One for all tests, started when the first one asks for it.
    public static func shared() throws -> OpenIDProvider { try started.get() }

    private static let started = Result { try OpenIDProvider() }

    /// Starts a provider that shares nothing with others, and waits until it responds.
    public init() throws {
        var log = ""
        // Between the choice of a port and its use, someone else may take it.
        for _ in 0..<3 {
            let port = try TestServer.freePort()
            let leash = Pipe.unshared()
            let output = Pipe.unshared()
            let keeper = try Self.start(port: port, leash: leash, output: output)
            if Self.waitForDiscovery(port: port, while: keeper) {
                self.port = port
                self.leash = leash
                issuer = "http://127.0.0.1:\(port)"
                return
            }
            try? leash.fileHandleForWriting.close()
            log = String(
                decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        throw TestFailure("the OpenID provider did not start: \(log)")
    }

    // MARK: - The process

    private static func start(port: Int, leash: Pipe, output: Pipe) throws -> Process {
        let programs = TestDatabase.repository + "/.run/test-tools/bin"
        guard FileManager.default.isExecutableFile(atPath: programs + "/canaille") else {
            throw TestFailure("the OpenID provider is not installed: run script/setup --test-all")
        }
        let folder = "/tmp/fave-openid.\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let keeper = Process()
        keeper.executableURL = URL(fileURLWithPath: "/bin/sh")
        // Python by its name: the program's first line is wrong once the repository has moved.
        keeper.arguments = [
            "-c", keeperScript, "keeper", folder, programs + "/python", programs + "/canaille",
            "run", "--bind", "127.0.0.1:\(port)", "--workers", "0",
        ]
        keeper.environment = settings(port: port, folder: folder)
        keeper.standardInput = leash
        keeper.standardOutput = output
        keeper.standardError = output
        try keeper.start()
        return keeper
    }

    /// When the provider ends, says what it logged last, if anybody still reads that.
    private static let keeperScript = """
        folder=$1
        shift
        cd "$folder" || exit 1
        trap '' HUP INT PIPE TERM
        exec 3<&0 </dev/null
        "$@" >log 2>&1 3<&- &
        provider=$!
        { cat <&3; kill -KILL "$provider"; } >/dev/null 2>&1 &
        watcher=$!
        exec 3<&-
        wait "$provider"
        kill -KILL "$watcher" 2>/dev/null
        tail -n 40 log
        rm -rf "$folder"
        """

    private static func settings(port: Int, folder: String) -> [String: String] {
        var settings = [
            "PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8",
            "SECRET_KEY": UUID().uuidString, "SERVER_NAME": "127.0.0.1:\(port)",
            "PREFERRED_URL_SCHEME": "http",
            // Not its database in memory, which takes any code for one that it has given out.
            "CANAILLE__DATABASE": "sql",
            "CANAILLE_SQL__DATABASE_URI": "sqlite:///\(folder)/database",
            "CANAILLE_SQL__PASSWORD_SCHEMES": "plaintext",
            "CANAILLE__ENABLE_REGISTRATION": "true", "CANAILLE__EMAIL_CONFIRMATION": "false",
            "CANAILLE__CAPTCHA_ENABLED": "false",
            "CANAILLE_OIDC__DYNAMIC_CLIENT_REGISTRATION_OPEN": "true",
            "CANAILLE_OIDC__REQUIRE_NONCE": "false",
            // Its access tokens must differ, and it fails if it makes two alike within a second.
            "CANAILLE_OIDC__USERINFO_MAPPING__UPDATED_AT": "{{ range(1000000000) | random }}",
        ]
        // As by default, but without escaping the values as if for HTML.
        for (claim, attribute) in [
            ("NAME", "formatted_name"), ("GIVEN_NAME", "given_name"),
            ("FAMILY_NAME", "family_name"), ("PREFERRED_USERNAME", "display_name"),
            ("EMAIL", "preferred_email"),
        ] {
            settings["CANAILLE_OIDC__USERINFO_MAPPING__\(claim)"] =
                "{% if user.\(attribute) %}{{ user.\(attribute) | safe }}{% endif %}"
        }
        return settings
    }

    /// - Returns: Whether it responded before its keeper ended.
    private static func waitForDiscovery(port: Int, while keeper: Process) -> Bool {
        while keeper.isRunning {
            var browser = ProviderSession(port: port)
            let response = try? browser.send("GET", "/.well-known/openid-configuration")
            if response?.status == 200 { return true }
            usleep(20_000)
        }
        return false
    }

    // MARK: - Clients

    /// How a client shows who it is at the token endpoint; the provider takes no other way from it.
    public enum ClientAuthentication: String, Sendable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        /// That of a public client, which must send a code challenge instead.
        case none
    }

    public struct Client: Sendable {
        public let id: String
        /// `nil` for a public client.
        public let secret: String?
        public let redirectURL: String
        public let authentication: ClientAuthentication
    }

    /// Makes a client, with an identifier and a secret that the provider chooses.
    public func register(
        redirectURL: String, authentication: ClientAuthentication = .basic
    ) throws -> Client {
        let metadata: [String: Any] = [
            "client_name": "Fave Games", "redirect_uris": [redirectURL],
            "token_endpoint_auth_method": authentication.rawValue,
            "grant_types": ["authorization_code"], "response_types": ["code"],
            "scope": "openid profile email",
        ]
        var browser = ProviderSession(port: port)
        let response = try browser.send(
            "POST", "/oauth/register",
            body: (
                "application/json",
                String(
                    decoding: try JSONSerialization.data(withJSONObject: metadata), as: UTF8.self)
            ))
        guard response.status == 201, let id = try response.object["client_id"] as? String,
            let secret = try response.object["client_secret"] as? String
        else { throw TestFailure("no client: \(response.status) \(response.text)") }
        return Client(
            id: id, secret: authentication == .none ? nil : secret, redirectURL: redirectURL,
            authentication: authentication)
    }

    // MARK: - People

    /// Someone with an account at the provider, and what it tells clients about them.
    public struct Person: Sendable, Equatable {
        /// `sub`, which is also what they sign in with.
        public var subject: String
        /// `preferred_username`, absent if empty. Several people may have the same.
        public var preferredUsername: String
        /// `given_name`, absent if empty.
        public var givenName: String
        /// `family_name`, which the provider wants of everybody.
        public var familyName: String
        /// `email`, which the provider wants of everybody, and of each another one.
        public var email: String

        public init(
            _ subject: String, preferredUsername: String = "", givenName: String = "",
            familyName: String = "Doe", email: String? = nil
        ) {
            self.subject = subject
            self.preferredUsername = preferredUsername
            self.givenName = givenName
            self.familyName = familyName
            self.email = email ?? "\(subject)@people.example"
        }

        fileprivate var profile: [(String, String)] {
            [
                ("family_name", familyName), ("given_name", givenName),
                ("display_name", preferredUsername), ("emails-0", email),
            ]
        }
    }

    /// Plays someone whom a site has sent to the provider: signs in and lets the site know.
    ///
    /// Someone new signs up first; the account of someone known is changed to what is told here,
    /// except that `name` stays as it was. Each call is a browser of its own.
    ///
    /// - Parameter authorizationURL: Where the site redirects the browser to.
    /// - Returns: Where the provider redirects the browser to, which is the site's redirect URL with
    ///   `code`, `state` and `iss`, or with `error` if the provider refuses the site's request.
    public func signIn(_ person: Person, at authorizationURL: String) throws -> String {
        try decide(person, at: authorizationURL, "accept")
    }

    /// Plays someone who signs in, but does not let the site know. They must not have done so
    /// before, for then the provider does not ask again.
    ///
    /// - Returns: The site's redirect URL with `error=access_denied`.
    public func refuse(_ person: Person, at authorizationURL: String) throws -> String {
        try decide(person, at: authorizationURL, "deny")
    }

    private func decide(
        _ person: Person, at authorizationURL: String, _ decision: String
    ) throws -> String {
        try keepAccount(of: person)
        var browser = ProviderSession(port: port)
        var page = try browser.open(authorizationURL)
        if let destination = page.destination { return destination }
        page = try Self.authenticate(person, &browser, page)
        if page.destination == nil || decision == "deny" {
            page = try browser.submit(page, [("answer", decision)])
        }
        guard let destination = page.destination else {
            throw TestFailure("the provider does not lead back: \(page)")
        }
        return destination
    }

    private static let password = "correct horse battery staple"

    /// Goes from the page that asks for the name to what comes after the password.
    private static func authenticate(
        _ person: Person, _ browser: inout ProviderSession, _ page: Page
    ) throws -> Page {
        let next = try browser.submit(page, [("login", person.subject)])
        return try browser.submit(next, [("password", password)])
    }

    private func keepAccount(of person: Person) throws {
        try people.withLock { people in
            let known = people[person.subject]
            if known == person { return }
            var browser = ProviderSession(port: port)
            let form: Page
            var fields = person.profile
            if known == nil {
                form = try browser.open("/register")
                fields += [
                    ("user_name", person.subject), ("password1", Self.password),
                    ("password2", Self.password), ("action", "create-profile"),
                ]
            } else {
                _ = try Self.authenticate(person, &browser, try browser.open("/login"))
                form = try browser.open("/profile/" + Form.escaped(person.subject))
                fields.append(("action", "edit-profile"))
            }
            let page = try browser.submit(form, fields)
            // Otherwise it shows the form again.
            guard page.redirects > 0 else {
                throw TestFailure("the provider does not take \(person): \(page)")
            }
            people[person.subject] = person
        }
    }

    // MARK: - Tokens

    public struct Tokens: Sendable {
        public let id: String
        /// A JWT, too.
        public let access: String
    }

    /// Plays someone and a client up to the client's getting tokens.
    public func tokens(
        for person: Person, client: Client, scope: String = "openid profile email"
    ) throws -> Tokens {
        let verifier = UUID().uuidString + UUID().uuidString
        let query = Form.encoded([
            ("response_type", "code"), ("client_id", client.id), ("scope", scope),
            ("redirect_uri", client.redirectURL), ("code_challenge", verifier),
            ("code_challenge_method", "plain"),
        ])
        let callback = try signIn(person, at: "\(issuer)/oauth/authorize?\(query)")
        let items = URLComponents(string: callback)?.queryItems ?? []
        guard let code = items.first(where: { $0.name == "code" })?.value else {
            throw TestFailure("no code: \(callback)")
        }
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier),
            ("redirect_uri", client.redirectURL),
        ]
        var fields: [(String, String)] = []
        switch client.authentication {
        case .basic:
            let credentials = Data("\(client.id):\(client.secret ?? "")".utf8)
            fields.append(("Authorization", "Basic \(credentials.base64EncodedString())"))
        case .post: form += [("client_id", client.id), ("client_secret", client.secret ?? "")]
        case .none: form.append(("client_id", client.id))
        }
        var browser = ProviderSession(port: port)
        let response = try browser.send(
            "POST", "/oauth/token", fields: fields, body: (Form.contentType, Form.encoded(form)))
        guard response.status == 200, let id = try response.object["id_token"] as? String,
            let access = try response.object["access_token"] as? String
        else { throw TestFailure("no tokens: \(response.status) \(response.text)") }
        return Tokens(id: id, access: access)
    }
}

/// What someone sees at the provider, after redirects.
private struct Page: CustomStringConvertible {
    let target: String
    let redirects: Int
    let response: RawResponse
    /// Set when the provider redirects to elsewhere.
    let destination: String?

    var description: String {
        let text = response.text.replacing(/<[^>]*>/, with: " ")
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return "\(target) \(response.status) \(destination ?? "") \(words)"
    }
}

/// Just enough of a browser to sign in: cookies, redirects and forms.
private struct ProviderSession {
    let port: Int
    private var cookies: [String: String] = [:]

    init(port: Int) { self.port = port }

    /// Sends one request on a connection of its own.
    mutating func send(
        _ method: String, _ target: String, fields: [(String, String)] = [],
        body: (type: String, text: String)? = nil
    ) throws -> RawResponse {
        let connection = try RawConnection(port: port)
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        head += "Connection: close\r\n"
        if !cookies.isEmpty {
            let pairs = cookies.map { "\($0)=\($1)" }
            head += "Cookie: \(pairs.joined(separator: "; "))\r\n"
        }
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if let body {
            head += "Content-Type: \(body.type)\r\nContent-Length: \(body.text.utf8.count)\r\n"
        }
        try connection.send(head + "\r\n" + (body?.text ?? ""))
        let response = try connection.readResponse()
        for field in response.fields where field.name.lowercased() == "set-cookie" {
            let pair = field.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
        }
        return response
    }

    /// - Parameter address: Absolute, or a path of the provider's.
    mutating func open(_ address: String) throws -> Page {
        guard let target = target(address) else {
            throw TestFailure("not at the provider on port \(port): \(address)")
        }
        return try follow(target, send("GET", target))
    }

    /// Fills the form of a page in and sends it to where the page is from.
    mutating func submit(_ page: Page, _ fields: [(String, String)]) throws -> Page {
        guard let token = page.response.text.firstMatch(of: /name="csrf_token" value="([^"]+)"/)
        else { throw TestFailure("no form for \(fields.map(\.0)): \(page)") }
        let form = Form.encoded([("csrf_token", String(token.1))] + fields)
        return try follow(page.target, send("POST", page.target, body: (Form.contentType, form)))
    }

    private mutating func follow(_ first: String, _ response: RawResponse) throws -> Page {
        var page = Page(target: first, redirects: 0, response: response, destination: nil)
        while (300..<400).contains(page.response.status), let to = page.response["location"] {
            guard page.redirects < 10 else { throw TestFailure("too many redirects: \(page)") }
            guard let target = target(to) else {
                return Page(
                    target: page.target, redirects: page.redirects, response: page.response,
                    destination: to)
            }
            page = Page(
                target: target, redirects: page.redirects + 1, response: try send("GET", target),
                destination: nil)
        }
        return page
    }

    /// - Returns: `nil` if the address is not the provider's.
    private func target(_ address: String) -> String? {
        let origin = "http://127.0.0.1:\(port)"
        if address.hasPrefix(origin + "/") { return String(address.dropFirst(origin.count)) }
        return address.hasPrefix("/") ? address : nil
    }
}

private enum Form {
    static let contentType = "application/x-www-form-urlencoded"

    static func encoded(_ fields: [(String, String)]) -> String {
        fields.map { "\(escaped($0))=\(escaped($1))" }.joined(separator: "&")
    }

    static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
