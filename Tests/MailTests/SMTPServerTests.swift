import Mail
import Testing

@Suite("The settings of a mail server")
struct SMTPServerTests {
    @Test("say host, port and security")
    func forms() throws {
        func expect(
            _ url: String, _ host: String, _ port: Int, _ security: SMTPServer.Security
        ) throws {
            let server = try SMTPServer(url)
            #expect(server.host == host, "\(url)")
            #expect(server.port == port, "\(url)")
            #expect(server.security == security, "\(url)")
        }
        try expect("smtp://mail.example.com", "mail.example.com", 587, .startTLS)
        try expect("smtp://Mail.Example.com:25", "mail.example.com", 25, .startTLS)
        try expect("smtps://mail.example.com", "mail.example.com", 465, .implicitTLS)
        try expect("smtps://192.0.2.1:2465", "192.0.2.1", 2465, .implicitTLS)
        try expect("smtp://[2001:db8::1]:2525", "2001:db8::1", 2525, .startTLS)
        try expect("smtps://[::1]", "::1", 465, .implicitTLS)
        try expect("smtp://relay:25?tls=off", "relay", 25, .none)
        try expect("smtp://[::1]:25?tls=off", "::1", 25, .none)
    }

    @Test(
        "are read back from their description",
        arguments: [
            "smtp://mail.example.com:587", "smtps://[::1]:465", "smtp://relay:25?tls=off",
        ])
    func description(url: String) throws {
        #expect(try SMTPServer(url).description == url)
    }

    @Test(
        "are refused if the address has any other form",
        arguments: [
            "", "mail.example.com", "mail.example.com:587", "http://mail.example.com",
            "SMTP://mail.example.com", "smtp:mail.example.com", "smtp://", "smtp://:587",
            "smtp://a:", "smtp://a:0", "smtp://a:65536", "smtp://a:+25", "smtp://a:-1",
            "smtp://a:25:26", "smtp://a:25/", "smtp://a/", "smtp://a/b", "smtp://a?",
            "smtp://a:25?tls=on", "smtp://a:25?tls=OFF", "smtp://a:25?tls=off&x=y",
            "smtp://a:25?x=y&tls=off", "smtp://a:25?tls=off?tls=off", "smtp://a:25#tls=off",
            "smtps://a:465?tls=off", "smtp://a b", "smtp://a\n", "smtp://a\r\nb", "smtp://a_b",
            "smtp://ä.example", "smtp://-a", "smtp://a..b", "smtp://a.", "smtp://::1",
            "smtp://[::1", "smtp://[]", "smtp://[127.0.0.1]", "smtp://[::1]25", "smtp://[::1]]",
            "smtp://[fe80::1%eth0]", " smtp://a", "smtp://a%2eb", "smtp://a:２５",
        ])
    func malformed(url: String) {
        #expect(throws: SMTPServerError.malformed) { try SMTPServer(url) }
    }

    @Test("must say the port where TLS is off")
    func portMissing() {
        #expect(throws: SMTPServerError.portMissing) { try SMTPServer("smtp://relay?tls=off") }
    }

    @Test(
        "have no user name or password in the address",
        arguments: ["smtp://jane@a", "smtps://jane:secret@a:465", "smtp://:x@a", "smtp://a/@b"])
    func credentialsInURL(url: String) throws {
        let error = try #require(throws: SMTPServerError.self) { try SMTPServer(url) }
        #expect(error == .credentialsInURL)
        #expect(error.description.contains("SMTP_USER"))
        #expect(error.description.contains("SMTP_PASSWORD_FILE"))
        #expect(!error.description.contains("secret"))
    }

    @Test("have a user name and a password, or neither")
    func credentials() throws {
        let url = "smtp://mail.example.com"
        _ = try SMTPServer(url, user: "jane", password: "pä ss")
        #expect(throws: SMTPServerError.incompleteCredentials) {
            try SMTPServer(url, user: "jane")
        }
        #expect(throws: SMTPServerError.incompleteCredentials) {
            try SMTPServer(url, password: "x")
        }
        for (user, password) in [
            ("", "x"), ("jane", ""), ("ja\0ne", "x"), ("jane", "x\n"), ("jane", "x\r\nRSET"),
        ] {
            #expect(throws: SMTPServerError.unusableCredentials) {
                try SMTPServer(url, user: user, password: password)
            }
        }
    }

    @Test("let nobody on the way read the password")
    func unprotected() throws {
        for host in ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"] {
            let url = "smtp://\(host):25?tls=off"
            _ = try SMTPServer(url, user: "jane", password: "x")
        }
        for host in ["relay", "10.0.0.1", "[2001:db8::1]", "localhost.example.com", "127.0.0.1.a"] {
            #expect(throws: SMTPServerError.unprotectedCredentials) {
                try SMTPServer("smtp://\(host):25?tls=off", user: "jane", password: "x")
            }
        }
    }

    @Test("never show the password")
    func secrecy() throws {
        let server = try SMTPServer("smtp://a", user: "jane", password: "hunter2-secret")
        var dumped = ""
        dump(server, to: &dumped)
        for text in ["\(server)", String(reflecting: server), server.description, dumped] {
            #expect(!text.contains("hunter2"))
        }
    }
}
