/// What someone who invites others can choose, to the site or to a circle.
public enum Invitations {
    /// For how many people one invitation is.
    public static let uses = 1...100
    /// For how many days.
    public static let days = 1...30
}
