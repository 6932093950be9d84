public import Monitoring

/// The metrics that event loops record.
public enum LoopMetrics {
    public static let all = [turns, timerDelays]

    static let turns = MetricName(
        "eventloop.turn.duration", .histogram, unit: "seconds",
        """
        How long the turns of an event loop took. While a turn runs, everything else on that loop \
        waits.
        """)
    static let timerDelays = MetricName(
        "eventloop.timer.delay", .histogram, unit: "seconds",
        "How late timers fired. They are rounded up to whole milliseconds.")
}
