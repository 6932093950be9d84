public import CLibCurl
import Glibc
public import Sockets

/// One of libcurl's easy handles: the options of a transfer, and later its outcome.
///
/// Confined to the loop of the `MultiHandle` that performs the transfer.
///
/// Safe: the handle and what it refers to are freed once, with this object. libcurl copies what it is
/// given, or has it in the memory of this object.
@safe public final class EasyHandle {
    @unsafe let pointer: UnsafeMutableRawPointer
    private let errorBuffer: UnsafeMutablePointer<CChar>
    private var list: TextList?

    /// Takes a piece of the response's body. Returning `false` ends the transfer with
    /// `CURLE_WRITE_ERROR`, which also happens to any body if this is `nil`.
    public var receivedBody: ((Span<UInt8>) -> Bool)?
    /// Takes a line of the response's header, or of a server's replies. Returning `false` ends the
    /// transfer with `CURLE_WRITE_ERROR`.
    public var receivedHeader: ((Span<UInt8>) -> Bool)?

    private var mayConnect: ((IPAddress) -> Bool)?
    /// Whether `checkAddresses` has refused one.
    public private(set) var hasRefusedAddress = false

    /// - Returns: `nil` if there is no memory left.
    public init?() {
        MultiHandle.initializeLibrary()
        guard let pointer = unsafe curl_easy_init() else { return nil }
        unsafe self.pointer = pointer
        unsafe errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe clibcurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorBuffer)
        // A transfer that ends while its host's name is looked up leaves that thread alone. Otherwise
        // libcurl, and with it the loop, would wait for a name server that doesn't respond.
        unsafe clibcurl_set_long(pointer, CURLOPT_QUICK_EXIT, 1)
        // Unretained: the caller retains the handle as long as libcurl uses it.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe clibcurl_set_pointer(pointer, CURLOPT_WRITEDATA, context)
        unsafe clibcurl_set_pointer(pointer, CURLOPT_HEADERDATA, context)
        unsafe clibcurl_set_write(pointer, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            unsafe EasyHandle.pass(bytes, size * count, context) { $0.receivedBody }
        }
        unsafe clibcurl_set_write(pointer, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            unsafe EasyHandle.pass(bytes, size * count, context) { $0.receivedHeader }
        }
    }

    deinit {
        // Before the list, which the handle refers to.
        unsafe curl_easy_cleanup(pointer)
        unsafe errorBuffer.deallocate()
    }

    /// - Returns: `count`; anything else makes libcurl end the transfer.
    private static func pass(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        to receiver: (EasyHandle) -> ((Span<UInt8>) -> Bool)?
    ) -> Int {
        guard let context = unsafe context else { return 0 }
        let handle = unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
        let memory = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
        let isTaken = unsafe receiver(handle)?(Span(_unsafeBytes: memory))
        return isTaken == true ? count : 0
    }

    // MARK: Options

    /// The first error of setting an option, for example because libcurl was built without it.
    public private(set) var optionError = CURLE_OK

    public func set(_ option: CURLoption, _ value: Int) {
        note(unsafe clibcurl_set_long(pointer, option, value))
    }

    /// libcurl copies the text.
    public func set(_ option: CURLoption, _ value: String) {
        note(unsafe clibcurl_set_string(pointer, option, value))
    }

    /// Sets the option that takes a list; a handle has room for one.
    public func set(_ option: CURLoption, _ lines: [String]) {
        let new = TextList(lines)
        note(unsafe clibcurl_set_list(pointer, option, new.pointer))
        list = consume new
    }

    /// Sets the request's body. libcurl copies it.
    public func setBody(_ body: [UInt8]) {
        set(CURLOPT_POSTFIELDSIZE, body.count)
        // The size must be set first. One byte is appended, because libcurl would read standard
        // input if it were given NULL.
        var body = body + [0]
        note(unsafe clibcurl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, &body))
    }

    /// Asks for each address that a connection is about to be opened to, once the host's name has been
    /// looked up, whether that is allowed. Proxies of the environment aren't used, and neither is a
    /// connection that is open already.
    public func checkAddresses(_ mayConnect: @escaping (IPAddress) -> Bool) {
        self.mayConnect = mayConnect
        set(CURLOPT_PROXY, "")
        set(CURLOPT_FRESH_CONNECT, 1)
        set(CURLOPT_FORBID_REUSE, 1)
        note(
            unsafe clibcurl_set_pointer(
                pointer, CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(self).toOpaque()))
        note(
            unsafe clibcurl_set_opensocket(pointer) { context, _, address in
                guard let context = unsafe context, let address = unsafe address else { return -1 }
                // The address may be longer than the member that it begins in.
                let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
                let memory = unsafe UnsafeRawBufferPointer(
                    start: UnsafeRawPointer(address).advanced(by: start),
                    count: Int(address.pointee.addrlen))
                return unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
                    .openSocket(address.pointee, to: Span(_unsafeBytes: memory))
            })
    }

    /// - Returns: The new socket's descriptor, which libcurl then owns; -1, which is `CURL_SOCKET_BAD`,
    ///   if the address is refused. libcurl tries the host's next one then.
    private func openSocket(_ kind: curl_sockaddr, to address: Span<UInt8>) -> curl_socket_t {
        guard let peer = IPAddress(family: kind.family, socketAddress: address),
            mayConnect?(peer) == true
        else {
            hasRefusedAddress = true
            return -1
        }
        return socket(kind.family, kind.socktype | Int32(SOCK_CLOEXEC.rawValue), kind.protocol)
    }

    private func note(_ code: CURLcode) {
        if optionError == CURLE_OK { optionError = code }
    }

    // MARK: Results

    /// The last status of HTTP, or the last reply's code of SMTP; 0 if there is none.
    public var responseCode: Int {
        var code = 0
        unsafe clibcurl_get_long(pointer, CURLINFO_RESPONSE_CODE, &code)
        return code
    }

    /// libcurl's text for an error, with details if it has any.
    public func text(of code: CURLcode) -> String {
        let detail = unsafe String(cString: errorBuffer)
        return detail.isEmpty ? code.text : detail
    }

    // MARK: Connections that stay open

    /// The outcome of reading from a connection or writing to it.
    public enum Exchanged {
        /// How many bytes; 0 at the end of what the other side sends.
        case bytes(Int)
        /// The descriptor is not ready. TLS may wait for either direction, regardless of the call.
        case wouldBlock
        case failed(CURLcode)
    }

    /// The descriptor of a connection that `MultiHandle.connect` has left open; `nil` if there is
    /// none. libcurl owns it, and has stopped watching it.
    public var connectedSocket: Int32? {
        var socket: curl_socket_t = -1
        unsafe clibcurl_get_socket(pointer, CURLINFO_ACTIVESOCKET, &socket)
        return socket >= 0 ? socket : nil
    }

    /// Writes to the connection without waiting, through TLS if the connection uses it.
    public func send(_ bytes: Span<UInt8>) -> Exchanged {
        var count = 0
        let code = unsafe bytes.withUnsafeBytes {
            unsafe curl_easy_send(pointer, $0.baseAddress, $0.count, &count)
        }
        return exchanged(code, count)
    }

    /// Reads from the connection without waiting, through TLS if the connection uses it.
    public func receive(into room: inout MutableSpan<UInt8>) -> Exchanged {
        var count = 0
        let code = unsafe room.withUnsafeMutableBytes {
            unsafe curl_easy_recv(pointer, $0.baseAddress, $0.count, &count)
        }
        return exchanged(code, count)
    }

    private func exchanged(_ code: CURLcode, _ count: Int) -> Exchanged {
        switch code {
        case CURLE_OK: .bytes(count)
        case CURLE_AGAIN: .wouldBlock
        default: .failed(code)
        }
    }
}
