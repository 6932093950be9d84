/// Whether a page comes after or before its cursor in the overall order.
public enum PageDirection: Hashable, Sendable {
    case after
    case before
}
