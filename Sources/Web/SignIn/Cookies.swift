import Endpoints

// The cookies of this site.
extension Cookie {
    /// Identifies the session of the user who is signed in.
    static let session = Cookie("session")

    /// Binds forms to the browser that requested them, before anyone is signed in.
    static let form = Cookie("form")

    /// Holds the state of a sign-in with a provider until the browser comes back.
    static let handshake = Cookie("sign-in")

    /// Identifies a browser that someone has signed in with, even after they have signed out.
    static let device = Cookie("device")

    /// Holds the identity of someone who signs in with a provider for the first time, until they have
    /// chosen a name.
    static let newcomer = Cookie("newcomer")

    /// Holds the challenge that a passkey responds to.
    static let challenge = Cookie("challenge")

    /// Holds an invitation during sign-up.
    static let invitation = Cookie("invitation")

    /// Remembers the language that someone has chosen.
    static let language = Cookie("language")
}
