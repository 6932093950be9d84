import CLibCurl

/// Texts for an option that takes a list. libcurl refers to them, so the owner keeps them as long as the
/// handle that has the option.
@safe struct TextList: ~Copyable {
    @unsafe private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    init(_ texts: [String]) {
        for text in texts { unsafe pointer = curl_slist_append(pointer, text) }
    }

    deinit { unsafe curl_slist_free_all(pointer) }
}
