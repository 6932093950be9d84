import Glibc
import Sockets
import Testing

@Suite("An IP address")
struct IPAddressTests {
    @Test(
        "is public if everyone can reach it",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
            "126.255.255.255", "128.0.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255",
            "223.255.255.255", "2606:4700:4700::1111", "2a00:1450::1", "2001:200::1",
            "::ffff:8.8.8.8",
        ])
    func reachable(text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    @Test(
        "is not public if it is special",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255",
            "127.0.0.1", "127.255.255.255", "169.254.169.254", "172.16.0.1", "172.31.255.255",
            "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
            "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
            "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
            "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:20::1", "2001:db8::1",
            "2002:7f00:1::", "3fff::1", "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1",
            "fec0::1", "ff02::1",
        ])
    func special(text: String) throws {
        #expect(try !#require(IPAddress(text)).isPublic)
    }

    @Test("is read from the bytes of a sockaddr, if these are all there")
    func socketAddress() {
        let v4: [UInt8] = [0, 0, 0, 80, 192, 0, 2, 1]
        let v6: [UInt8] =
            [0, 0, 0, 80, 0, 0, 0, 0, 0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
        func read(_ family: Int32, _ bytes: some Collection<UInt8>) -> String? {
            IPAddress(family: family, socketAddress: Array(bytes).span)?.description
        }
        #expect(read(AF_INET, v4) == "192.0.2.1")
        #expect(read(AF_INET6, v6) == "2001:db8::1")
        #expect(read(AF_INET, v4.dropLast()) == nil)
        #expect(read(AF_INET6, v6.dropLast()) == nil)
        #expect(read(AF_UNIX, v6) == nil)
    }
}
