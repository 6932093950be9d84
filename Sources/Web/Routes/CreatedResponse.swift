import Endpoints
import HTTP
import HTTPTypes
import JSON
import Storage

extension ResponseKind where Output == IdempotentResponse {
    /// The response to a request that created something, now or when the request first arrived.
    static func created(
        _ type: some Representation, _ text: String, isTagged: Bool = false,
        isLocated: Bool = true
    ) -> Self {
        let description = ResponseDescription.json(
            text, type.schema, status: .created,
            fields: (isLocated ? [.location] : []) + (isTagged ? [.eTag] : []))
        return Self([description]) { output, _ in
            var response = Response(
                status: .created,
                headerFields: [
                    .contentType: MediaType.json.description, .cacheControl: "no-store",
                ], body: Array(output.body.utf8))
            response.headerFields[.location] = output.location
            if output.isRepeated { response.headerFields[.idempotencyReplayed] = "true" }
            return isTagged ? response.tagged : response
        }
    }
}

extension IdempotentResponse {
    init<Type: Representation>(_ value: Type.Value, _ type: Type, location: String? = nil) {
        var json = JSONWriter()
        type.write(value, to: &json)
        self.init(location: location, body: String(decoding: json.bytes, as: UTF8.self))
    }
}
