/// The user of a new credential, section 5.4.3.
public struct UserEntity: Hashable, Sendable {
    /// The user handle: 1 to 64 bytes that say nothing about the user, such as random ones.
    public let id: [UInt8]
    /// The text that distinguishes the account from others, such as a username.
    public let name: String
    /// The user's display name. It may be empty.
    public let displayName: String

    public init(id: [UInt8], name: String, displayName: String) {
        self.id = id
        self.name = name
        self.displayName = displayName
    }
}
