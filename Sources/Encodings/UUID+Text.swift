import Foundation

extension UUID {
    /// The UUID as addresses and JSON have it: in lower case (RFC 9562 section 4). `uuidString`
    /// takes thirty times as long.
    public var text: String {
        withUnsafeBytes(of: uuid) { bytes in
            String(unsafeUninitializedCapacity: 36) { text in
                var end = 0
                for (index, byte) in bytes.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        text[end] = UInt8(ascii: "-")
                        end += 1
                    }
                    text[end] = Hexadecimal.digit(byte >> 4)
                    text[end + 1] = Hexadecimal.digit(byte & 15)
                    end += 2
                }
                return end
            }
        }
    }
}
