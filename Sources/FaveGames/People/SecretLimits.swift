/// The lengths of what people type to prove who they are. `Identity` checks these, and forms state them.
public enum SecretLimits {
    /// Of a new password, in Unicode scalars.
    public static let password = 8...128
    /// Of a recovery code with everything that people type between its characters, in bytes.
    public static let recoveryCode = 64
}
