import FaveGames
import Testing

@testable import Web

@Suite("The addresses of the service")
struct ReservedNamesTests {
    @Test("begin with nothing that someone could be called")
    func reserved() {
        let names = Set(
            Routes.all.compactMap { $0.pattern.split(separator: "/").first.map(String.init) })
        #expect(names.isSuperset(of: ["sign-in", "settings", "api", "me", "@{username}"]))
        for name in names {
            guard let username = Username(name) else { continue }
            #expect(username.isReserved, "\(name)")
        }
        // These stand beside a user's id or name in the API's paths.
        #expect(Username("me")?.isReserved == true)
        #expect(Username("current")?.isReserved == false)
    }
}
