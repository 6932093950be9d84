public import CLibCurl

extension CURLcode {
    /// libcurl's text for the error.
    public var text: String { unsafe String(cString: curl_easy_strerror(self)) }
}

extension CURLMcode {
    /// libcurl's text for the error.
    public var text: String { unsafe String(cString: curl_multi_strerror(self)) }
}
