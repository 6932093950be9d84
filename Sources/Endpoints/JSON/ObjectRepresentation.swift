public import JSON

/// A JSON object. Each member is declared with its name, its type, its description and the value
/// that it is read from.
///
/// Public and inlinable, so that an application's representations are specialised for their types:
/// what is only visible in the package can't be inlined elsewhere.
public struct ObjectRepresentation<Value>: Representation {
    public struct Member: Sendable {
        public let name: StaticString
        public let schema: Schema.Member
        public let write: Write

        public typealias Write = @Sendable (Value, inout JSONWriter, SiteAddresses) -> Void

        /// - Parameters:
        ///   - description: What the member says; `nil` if the type's own description is enough.
        ///   - example: Replaces the type's own example.
        ///   - get: Gets the member's value.
        @inlinable public init<Type: Representation>(
            _ name: StaticString, _ type: Type, _ description: String? = nil,
            example: JSONValue? = nil,
            _ get: @escaping @Sendable (Value) -> Type.Value
        ) {
            self.name = name
            schema = Schema.Member(
                name: "\(name)", schema: type.schema.example(example), description: description,
                isRequired: true)
            write = { value, json, site in
                json.name(name)
                type.write(get(value), to: &json, for: site)
            }
        }

        /// A member that depends on the site, too.
        @inlinable public static func ofSite<Type: Representation>(
            _ name: StaticString, _ type: Type, _ description: String? = nil,
            _ get: @escaping @Sendable (Value, SiteAddresses) -> Type.Value
        ) -> Member {
            Member(
                name,
                Schema.Member(
                    name: "\(name)", schema: type.schema, description: description,
                    isRequired: true)
            ) { value, json, site in
                json.name(name)
                type.write(get(value, site), to: &json, for: site)
            }
        }

        /// A member that is omitted if it has no value.
        @inlinable public static func optional<Type: Representation>(
            _ name: StaticString, _ type: Type, _ description: String? = nil,
            _ get: @escaping @Sendable (Value) -> Type.Value?
        ) -> Member {
            Member(
                name,
                Schema.Member(
                    name: "\(name)", schema: type.schema, description: description,
                    isRequired: false)
            ) { value, json, site in
                guard let value = get(value) else { return }
                json.name(name)
                type.write(value, to: &json, for: site)
            }
        }

        @usableFromInline init(
            _ name: StaticString, _ schema: Schema.Member,
            write: @escaping @Sendable (Value, inout JSONWriter, SiteAddresses) -> Void
        ) {
            self.name = name
            self.schema = schema
            self.write = write
        }

        /// One function that writes all members. Functions that call each other cost less than a loop
        /// over an array, which retains and releases each of them.
        @inlinable static func writeAll(_ members: [Member]) -> Write {
            guard var all = members.last?.write else { return { _, _, _ in } }
            // Not by `reduce`, which would wrap each function in two more.
            for member in members.dropLast().reversed() { all = both(member.write, all) }
            return all
        }

        @inlinable static func both(_ first: @escaping Write, _ second: @escaping Write) -> Write {
            { value, json, site in
                first(value, &json, site)
                second(value, &json, site)
            }
        }

        /// The same member, read from a part of a larger value.
        @inlinable public func of<Whole>(
            _ part: @escaping @Sendable (Whole) -> Value
        ) -> ObjectRepresentation<Whole>.Member {
            ObjectRepresentation<Whole>.Member(name, schema) { write(part($0), &$1, $2) }
        }
    }

    public let schema: Schema
    public let members: [Member]
    @usableFromInline let writeMembers: Member.Write

    /// - Parameter name: The schema's name; `nil` to describe the object where it is used.
    @inlinable public init(
        _ name: String? = nil, _ description: String? = nil, _ members: [Member]
    ) {
        self.members = members
        writeMembers = Member.writeAll(members)
        schema = .object(name, description, members.map(\.schema))
    }

    /// - Parameters:
    ///   - base: The representation whose members come first.
    ///   - part: Gets the value that those members are read from.
    @inlinable public init<Base>(
        _ name: String, _ description: String, extending base: ObjectRepresentation<Base>,
        _ part: @escaping @Sendable (Value) -> Base, _ members: [Member]
    ) {
        self.members = base.members.map { $0.of(part) } + members
        let writeBase = base.writeMembers
        writeMembers = Member.both(
            { writeBase(part($0), &$1, $2) }, Member.writeAll(members))
        schema = .object(name, description, extending: base.schema, members.map(\.schema))
    }

    @inlinable public func write(
        _ value: Value, to json: inout JSONWriter, for site: SiteAddresses
    ) {
        json.object { json in
            writeMembers(value, &json, site)
        }
    }
}
