import Endpoints

// Work that only this service does.
extension Cost {
    /// The drawing of a card, besides the request for it.
    static let drawing = units(10)
    /// A file of thousands of rows.
    static let upload = units(20)
    /// Everything that is known about someone.
    static let export = units(20)
}
