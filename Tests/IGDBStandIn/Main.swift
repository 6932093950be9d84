import Glibc
import Sockets

/// A stand-in for IGDB and for Twitch's token endpoint, for tests and for trying things out.
///
/// It prints the port it listens on, on 127.0.0.1, and ends when its standard input does.
/// `IGDB_CLIENT_ID` and `IGDB_CLIENT_SECRET` are the credentials it takes, `PORT` the port if it
/// must not be any.
///
/// `POST /control` makes it misbehave, see `Orders`; `GET /control/log` tells what it was asked.
@main
enum Main {
    static func main() throws {
        let loop = try EventLoop(name: "stand-in")
        let port = variable("PORT").flatMap { Int($0) } ?? 0
        let address = try SocketAddress.resolve(host: "127.0.0.1", port: port)[0]
        let socket = try ListeningSocket(address)
        let standIn = StandIn(
            clientID: variable("IGDB_CLIENT_ID") ?? "stand-in",
            clientSecret: variable("IGDB_CLIENT_SECRET") ?? "stand-in secret", loop: loop)
        loop.execute { standIn.listen(on: socket) }
        print(socket.address.port ?? 0)
        fflush(nil)
        var byte: UInt8 = 0
        while read(STDIN_FILENO, &byte, 1) > 0 {}
        exit(0)
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
