import Foundation
import Testing

@testable import HTTP

@Suite("An HTTP date")
struct HTTPDateTests {
    @Test(
        "is written in the fixed form",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ])
    func format(seconds: Int, text: String) {
        #expect(HTTPDate.format(secondsSince1970: seconds) == text)
        #expect(HTTPDate.parse(text) == seconds)
    }

    @Test("out of range is brought to the nearest end")
    func range() {
        #expect(HTTPDate.format(secondsSince1970: .min) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.format(secondsSince1970: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
    }

    @Test("of every day of 400 years is read back as it was written")
    func roundTrip() {
        var previous = CivilDate(daysSince1970: 0)
        for day in 1..<146_097 {
            let date = CivilDate(daysSince1970: day)
            #expect(date.daysSince1970 == day)
            let isNext =
                (date.year == previous.year && date.month == previous.month
                    && date.day == previous.day + 1)
                || (date.day == 1
                    && ((date.year == previous.year && date.month == previous.month + 1)
                        || (date.year == previous.year + 1 && date.month == 1
                            && previous.month == 12)))
            if !isNext { Issue.record("\(previous) is followed by \(date)") }
            previous = date
        }
    }

    @Test("is read in its three forms")
    func forms() {
        let now = 1_700_000_000
        #expect(HTTPDate.parse("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        #expect(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: now) == 784_111_777)
        #expect(HTTPDate.parse("Sun Nov  6 08:49:37 1994") == 784_111_777)
        #expect(HTTPDate.parse("Wed Nov 16 08:49:37 1994") == 784_975_777)
        #expect(HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT") == 1_483_228_800)
    }

    @Test("with a year of two digits is at most 50 years ahead")
    func shortYears() {
        let in2023 = 1_700_000_000
        let expected = [(73, 2073), (74, 1974), (0, 2000), (23, 2023), (99, 1999)]
        for (short, year) in expected {
            let text = "Monday, 01-Jan-\(short < 10 ? "0" : "")\(short) 00:00:00 GMT"
            let date = CivilDate(year: year, month: 1, day: 1)
            #expect(HTTPDate.parse(text, now: in2023) == date.daysSince1970.map { $0 * 86400 })
        }
        #expect(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT") != nil)
    }

    @Test(
        "in any other form is none",
        arguments: [
            "", "now", "0", "Sun", "Sun,", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 GMT ",
            " Sun, 06 Nov 1994 08:49:37 GMT", "sun, 06 nov 1994 08:49:37 gmt",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
            "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 94", "1994-11-06T08:49:37Z",
            "Sun, 06 Nov +994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT, x",
        ])
    func malformed(text: String) {
        #expect(HTTPDate.parse(text, now: 1_700_000_000) == nil)
    }

    @Test("in the form of RFC 3339 is in UTC, to the second, from 1970 to 9999")
    func rfc3339() {
        func text(_ seconds: Double) -> String { Date(timeIntervalSince1970: seconds).rfc3339 }
        #expect(text(1_763_722_531.9) == "2025-11-21T10:55:31Z")
        #expect(text(1_709_164_800) == "2024-02-29T00:00:00Z")
        #expect(text(-1) == "1970-01-01T00:00:00Z")
        #expect(text(253_402_300_799) == "9999-12-31T23:59:59Z")
        #expect(text(1e300) == "9999-12-31T23:59:59Z")
    }
}
