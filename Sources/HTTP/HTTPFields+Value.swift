public import HTTPTypes

extension HTTPFields {
    /// The same as `self[name]`, which joins the values of several fields and takes several times as long
    /// if there is only one.
    public func value(of name: HTTPField.Name) -> String? {
        var value: String?
        for field in self where field.name == name {
            guard value == nil else { return self[name] }
            value = field.value
        }
        return value
    }
}
