/// A provider to sign in with, as a button.
struct ProviderModel: Sendable {
    let name: String
    let href: String
}
