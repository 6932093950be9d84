/// A signature algorithm, by its number in the IANA registry "COSE Algorithms".
///
/// Browsers are offered the cases in this order of preference.
public enum Algorithm: Int, CaseIterable, Hashable, Sendable {
    /// ECDSA on the curve P-256, with SHA-256.
    case es256 = -7
    /// EdDSA; of its curves, only Ed25519.
    case edDSA = -8
    /// RSASSA-PKCS1-v1_5 with SHA-256, which TPMs use.
    case rs256 = -257
}
