import HTTP
import HTTPTypes
import Testing

@testable import Endpoints

@Suite("A cookie")
struct CookieTests {
    private func value(_ fields: [String], isSecure: Bool = false) throws -> String? {
        let fields = HTTPFields(fields.map { HTTPField(name: .cookie, value: $0) })
        let request = try Request(target: "/", headerFields: fields)
        let site = isSecure ? CookieSite.secure : .plain("fave", port: 8080)
        return Cookie("session").value(in: request, at: site)
    }

    @Test("is found among others, with the space around it, in any of several fields")
    func found() throws {
        #expect(try value(["a=b; fave-8080-session=x=y"]) == "x=y")
        #expect(try value(["a=b;\t fave-8080-session=x;c"]) == "x")
        #expect(try value(["a=b", "fave-8080-session="])?.isEmpty == true)
        #expect(try value(["fave-8080-session=1; __Host-session=2"], isSecure: true) == "2")
    }

    @Test("is not found under another name, or without a value")
    func notFound() throws {
        let fields = [
            "", "fave-8080-session", "fave-8080-session =1", "Fave-8080-session=1", "session=1",
            "xfave-8080-session=1", "=fave-8080-session", "fave-8081-session=1", ";;",
        ]
        for field in fields { #expect(try value([field]) == nil, "\(field)") }
        #expect(try value([]) == nil)
        #expect(try value(["fave-8080-session=1"], isSecure: true) == nil)
    }

    @Test("that comes twice is none")
    func twice() throws {
        #expect(try value(["fave-8080-session=1; fave-8080-session=2"]) == nil)
        #expect(try value(["fave-8080-session=1", "fave-8080-session=1"]) == nil)
        // What only looks like another sign than "=" does not hide the second one.
        #expect(try value(["fave-8080-session=1; fave-8080-session=\u{301}"]) == nil)
    }

    @Test("has the bytes behind its name, combining marks too")
    func combiningMarks() throws {
        #expect(try value(["a=b; fave-8080-session=\u{301}x"]) == "\u{301}x")
    }

    @Test("is named after the program and its port where other programs could have the same name")
    func names() {
        let cookie = Cookie("session")
        #expect(
            cookie.setting("x", at: .secure).value
                == "__Host-session=x; Path=/; HttpOnly; SameSite=Lax; Secure")
        #expect(
            cookie.removing(at: .plain("fave", port: 8080)).value
                == "fave-8080-session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0")
    }
}
