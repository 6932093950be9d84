/// A connection that no stream owns yet. It is closed if no stream ever does.
public struct AcceptedSocket: ~Copyable, Sendable {
    let descriptor: Descriptor
    /// The address that the kernel reported when it accepted the connection; asking later fails for
    /// a client that has disconnected. `nil` if the kernel reported none.
    public let client: ClientAddress?

    init(descriptor: Int32, client: ClientAddress? = nil) {
        self.descriptor = Descriptor(descriptor)
        self.client = client
    }

    /// Hands over the descriptor, which the caller must close.
    consuming func take() -> Int32 { descriptor.take() }
}
