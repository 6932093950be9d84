import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// For what needs a browser, Python, several PostgreSQLs or minutes. `script/test` leaves it out,
    /// and `script/test --all` does not.
    public static var thorough: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["TEST_TIER"] != "quick",
            "only script/test --all runs it")
    }
}
