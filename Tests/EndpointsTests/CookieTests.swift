import HTTP
import HTTPTypes
import Testing

@testable import Endpoints

@Suite("A cookie")
struct CookieTests {
    private func value(_ fields: [String], isSecure: Bool = false) throws -> String? {
        let fields = HTTPFields(fields.map { HTTPField(name: .cookie, value: $0) })
        let request = try Request(target: "/", headerFields: fields)
        return Cookie("session").value(in: request, isSecure: isSecure)
    }

    @Test("is found among others, with the space around it, in any of several fields")
    func found() throws {
        #expect(try value(["a=b; session=x=y"]) == "x=y")
        #expect(try value(["a=b;\t session=x;c"]) == "x")
        #expect(try value(["a=b", "session="])?.isEmpty == true)
        #expect(try value(["session=1; __Host-session=2"], isSecure: true) == "2")
    }

    @Test("is not found under another name, or without a value")
    func notFound() throws {
        let fields = ["", "session", "session =1", "Session=1", "xsession=1", "=session", ";;"]
        for field in fields { #expect(try value([field]) == nil, "\(field)") }
        #expect(try value([]) == nil)
        #expect(try value(["session=1"], isSecure: true) == nil)
    }

    @Test("that comes twice is none")
    func twice() throws {
        #expect(try value(["session=1; session=2"]) == nil)
        #expect(try value(["session=1", "session=1"]) == nil)
        // What only looks like another sign than "=" does not hide the second one.
        #expect(try value(["session=1; session=\u{301}"]) == nil)
    }

    @Test("has the bytes behind its name, combining marks too")
    func combiningMarks() throws {
        #expect(try value(["a=b; session=\u{301}x"]) == "\u{301}x")
    }
}
