import ArgumentParser
import Identity
import Postgres
import Storage

struct RotateKeysCommand: AdminCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-keys",
        abstract: "Makes a new key that signs the API's access tokens from now on.",
        discussion: """
            Nobody is signed out: tokens signed with older keys stay good until they expire, and \
            running servers take the new key up within two minutes. Keys that no token can name any \
            more are deleted.
            """)

    @Flag(
        help: """
            Delete all older keys now, if one may have leaked. Access tokens signed with them are \
            void within a minute; sessions get new ones by themselves.
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
