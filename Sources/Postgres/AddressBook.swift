import Dispatch
import Sockets

/// Where PostgreSQL may be: the addresses of the connection string's hosts, for all connections of
/// one pool. Confined to its loop.
///
/// libpq would look names up on the calling thread, and give an address that swallows everything as
/// long as the kernel does. So names are looked up here, on other threads, each by itself, and
/// addresses that have not answered are remembered, to be tried last.
final class AddressBook {
    private let loop: EventLoop
    private let parameters: ConnectionParameters
    /// What the last look-up of each name gave.
    private var found: [String: Result<[String], AddressError>] = [:]
    private var lookUps: Set<String> = []
    private var requests: [Request] = []
    /// When each was silent last.
    private var silent: [Host: MonotonicTime] = [:]

    typealias Completion = (Result<[Host], PostgresError>) -> Void

    private final class Request {
        /// The names that are still looked up.
        var names: Set<String>
        let completion: Completion
        var timer: LoopTimer?

        init(names: Set<String>, completion: @escaping Completion) {
            self.names = names
            self.completion = completion
        }
    }

    /// How long a name may keep the addresses of others waiting.
    private static let patience = Duration.seconds(2)

    init(_ parameters: ConnectionParameters, on loop: EventLoop) {
        self.parameters = parameters
        self.loop = loop
    }

    /// How long to try one address, if the operator has said so.
    var connectTimeout: Duration? { parameters.connectTimeout }

    /// What to tell libpq to try these addresses, or, without any, whatever it knows itself.
    func parameters(for addresses: [Host]) -> ConnectionParameters {
        addresses.isEmpty ? parameters : parameters.replacingHosts(by: addresses)
    }

    /// Gives all addresses, in the order in which to try them: the operator's, but those that were
    /// silent last.
    ///
    /// - Parameter completion: Called on the loop, within some seconds; at once if there is nothing
    ///   to look up. Gets no address where libpq is to choose.
    func addresses(completion: @escaping Completion) {
        guard let hosts = parameters.hosts else { return completion(.success([])) }
        let names = Set(hosts.lazy.filter(\.isToBeLookedUp).map(\.name))
        let request = Request(names: names, completion: completion)
        requests.append(request)
        guard !names.isEmpty else { return finish(request) }
        request.timer = loop.schedule(after: Self.patience) { [weak self] in
            self?.finish(request)
        }
        for name in names where lookUps.insert(name).inserted { lookUp(name) }
    }

    /// The address gave no answer in time.
    func wasSilent(_ address: Host) { silent[address] = loop.now }

    func answered(_ address: Host) { silent[address] = nil }

    /// Whether it is to be tried last. Not for ever: it may be the one that the operator prefers.
    private func isSilent(_ address: Host) -> Bool {
        silent[address].map { loop.now - $0 < Self.silence } ?? false
    }

    private static let silence = Duration.seconds(60)

    private func lookUp(_ name: String) {
        // Only called on the loop.
        nonisolated(unsafe) let finish = { [weak self] (result: Result<[String], AddressError>) in
            guard let self else { return }
            self.lookedUp(name, result)
        }
        DispatchQueue.global().async { [loop] in
            let result = Result { () throws(AddressError) in
                try SocketAddress.resolve(host: name, port: 0).map(\.host)
            }
            loop.execute { finish(result) }
        }
    }

    private func lookedUp(_ name: String, _ result: Result<[String], AddressError>) {
        lookUps.remove(name)
        found[name] = result
        for request in requests where request.names.remove(name) != nil {
            if request.names.isEmpty { finish(request) }
        }
    }

    private func finish(_ request: Request) {
        guard let index = requests.firstIndex(where: { $0 === request }) else { return }
        requests.remove(at: index)
        request.timer?.cancel()
        let all = parameters.hosts?.flatMap { host in
            guard host.isToBeLookedUp else { return [host] }
            let addresses = (try? found[host.name]?.get()) ?? []
            return addresses.map(host.at)
        }
        guard let all, !all.isEmpty else { return request.completion(.failure(lookUpError)) }
        request.completion(
            .success(all.filter { !isSilent($0) } + all.filter(isSilent)))
    }

    private var lookUpError: PostgresError {
        for case .failure(let error) in found.values {
            return PostgresError(.unavailable, detail: "\(error)")
        }
        return PostgresError(.unavailable, detail: "the names of its hosts are not found in time")
    }
}
