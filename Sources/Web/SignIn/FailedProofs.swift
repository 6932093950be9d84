import Endpoints
import Identity
import Logging

extension RequestContext {
    /// Says in the log that someone has failed to prove who they are, with the address that the limits
    /// count, so that fail2ban can keep it away: `contrib/fail2ban` reads these lines.
    ///
    /// The name that was typed is left out, since people type passwords into its field. There are no
    /// more lines than the limits of attempts allow.
    func noteFailedProof(_ error: any Error) {
        guard let what = (error as? AccountError)?.failedProof else { return }
        // Not a warning: the log writes the same warning only once a minute.
        logger.notice("failed sign-in from \(client), \(what)")
    }
}
