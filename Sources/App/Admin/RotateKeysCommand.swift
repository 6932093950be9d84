import ArgumentParser
import Identity
import Postgres
import Storage
import StorageWrites

struct RotateKeysCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-keys",
        abstract: "Create a new key for signing the API's access tokens.",
        discussion: """
            No one is signed out: tokens signed with older keys stay valid until they expire, and \
            running servers pick up the new key within two minutes. Older keys that no valid token \
            can refer to any more are deleted.
            """)

    @Flag(
        help: """
            Delete all older keys now, because one may have leaked. Access tokens signed with them \
            become invalid within a minute; sessions get new ones automatically.
            """)
    var revoke = false

    @OptionGroup var output: OutputOptions

    struct Report: Encodable, CustomStringConvertible {
        let keyId: String
        let deleted: Int

        var description: String {
            "The new key is \(keyId). \(deleted == 1 ? "1 older key was" : "\(deleted) older keys were") deleted."
        }
    }

    func perform(_ session: BlockingSession) throws -> Report {
        let key = SigningKey.make()
        let deleted = try StoredSigningKey.rotate(
            session, to: key, lifetime: revoke ? .zero : TokenCommand.longestLifetime)
        return Report(keyId: key.id, deleted: deleted)
    }
}
