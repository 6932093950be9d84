import Endpoints

/// Refuses what needs the database while the server waits at its start.
struct StartStep: Sendable {
    let health: Health

    /// - Throws: 503.
    func check(_ context: IncomingRequest) throws(Problem) {
        guard health.isWaiting else { return }
        if context.route?.cost == .nothing, !context.mayBeSignedIn { return }
        throw health.waitingProblem
    }
}
