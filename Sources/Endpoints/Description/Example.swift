/// Values that several examples of the API's description have in common.
package enum Example {
    package static let cursor =
        "Z0HQGZaxR3Rh8TQBKAzLZCvnuSbMRAFYLQ_p_xsXCjVyMQoyNQoxMTkxMzMKMQoxCmVsZGVuIHJpbmc"
    package static let site = "https://site.example"
    package static let requestID = "3a542a42-aaad-4a36-bd47-91a64d36adf1"
}
