import Glibc

/// What libFuzzer can be told to fuzz, each with the properties that must hold for every input.
///
/// The program is built for all of them; `FUZZ_TARGET` in the environment says which one runs, and
/// `script/fuzz` sets it.
enum FuzzTarget: String, CaseIterable {
    case request, json, form, cookie, accept, cursor, pipeline, csv, multipart, webhook

    static let chosen: FuzzTarget = {
        let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            fatalError("FUZZ_TARGET must be one of \(names)")
        }
        return target
    }()

    /// Stops the program if a property does not hold.
    func check(_ input: UnsafeRawBufferPointer) {
        switch self {
        case .request: RequestProperties.check(input)
        case .json: JSONProperties.check(input)
        case .form: FormProperties.check(input)
        case .cookie: CookieProperties.check(input)
        case .accept: AcceptProperties.check(input)
        case .cursor: CursorProperties.check(input)
        case .pipeline: PipelineProperties.check(input)
        case .csv: CSVProperties.check(input)
        case .multipart: MultipartProperties.check(input)
        case .webhook: WebhookProperties.check(input)
        }
    }
}

/// The function that libFuzzer calls for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.chosen.check(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
}

/// Stops the program, which libFuzzer takes for a finding and keeps the input, unless `holds`.
func require(
    _ holds: @autoclosure () -> Bool, _ property: @autoclosure () -> String,
    line: UInt = #line, file: StaticString = #fileID
) {
    if !holds() { fatalError(property(), file: file, line: line) }
}
