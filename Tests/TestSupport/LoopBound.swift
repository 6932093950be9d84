/// Something that belongs to a loop, on its way through a test that runs elsewhere.
// @unchecked: the tests touch the value on the loop only.
public final class OnLoop<Value>: @unchecked Sendable {
    public var value: Value

    public init(_ value: Value) { self.value = value }
}
