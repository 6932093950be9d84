import Dispatch
import Sockets

/// The addresses where PostgreSQL may be found: those of the connection string's hosts, for all
/// connections of one pool. Confined to its loop.
///
/// libpq would look names up on the calling thread, and would wait for an address that never
/// responds as long as the kernel does. So the address book looks up each name separately, on other
/// threads. It also remembers which addresses have not responded, so that they are tried last.
final class AddressBook {
    private let loop: EventLoop
    private let parameters: ConnectionParameters
    /// The result of each name's last lookup.
    private var found: [String: Result<[String], AddressError>] = [:]
    private var lookUps: Set<String> = []
    private var requests: [Request] = []
    /// When each address last failed to respond in time.
    private var silent: [Host: MonotonicTime] = [:]

    typealias Completion = (Result<[Host], PostgresError>) -> Void

    private final class Request {
        /// The names whose lookup is still pending.
        var names: Set<String>
        let completion: Completion
        var timer: LoopTimer?

        init(names: Set<String>, completion: @escaping Completion) {
            self.names = names
            self.completion = completion
        }
    }

    /// How long a request waits for pending lookups. After that it gets the addresses known so far.
    private static let patience = Duration.seconds(2)

    init(_ parameters: ConnectionParameters, on loop: EventLoop) {
        self.parameters = parameters
        self.loop = loop
    }

    /// The time limit for one address, if the operator has set one.
    var connectTimeout: Duration? { parameters.connectTimeout }

    /// The parameters that make libpq try these addresses. If there are none, libpq chooses
    /// addresses itself.
    func parameters(for addresses: [Host]) -> ConnectionParameters {
        addresses.isEmpty ? parameters : parameters.replacingHosts(by: addresses)
    }

    /// Gives all addresses in the order to try them: the operator's order, but with recently silent
    /// addresses at the end.
    ///
    /// - Parameter completion: Called on the loop: at once if there is nothing to look up, and
    ///   otherwise within `patience`. Receives no addresses if libpq is to choose.
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

    /// Notes that an address gave no response in time.
    func wasSilent(_ address: Host) { silent[address] = loop.now }

    func responded(_ address: Host) { silent[address] = nil }

    /// Whether the address is to be tried last. This ends after a while, because the operator may
    /// prefer that address.
    private func isSilent(_ address: Host) -> Bool {
        silent[address].map { loop.now - $0 < Self.silence } ?? false
    }

    private static let silence = Duration.seconds(60)

    private func lookUp(_ name: String) {
        // `finish` is only called on the loop.
        nonisolated(unsafe) let finish = { [weak self] (result: Result<[String], AddressError>) in
            guard let self else { return }
            self.lookedUp(name, result)
        }
        DispatchQueue.global().async { [loop] in
            let result = Result { () throws(AddressError) in
                try SocketAddress.resolve(host: name, port: 0).map(\.host)
            }
            loop.execute { unsafe finish(result) }
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
