/// On which side of its cursor a page lies, in the order of the whole.
public enum PageDirection: Hashable, Sendable {
    case after
    case before
}
