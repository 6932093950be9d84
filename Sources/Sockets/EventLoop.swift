import CLinux
import DequeModule
import HeapModule
import Glibc
import Monitoring
import Synchronization

/// One thread that waits in epoll(7) and then handles what is ready: descriptors, timers, and the
/// jobs of Swift tasks.
///
/// As a `TaskExecutor`, the loop runs every task started with `Task(executorPreference: loop)` on
/// its thread. This includes the task's children, the default actors that it calls, and what it
/// does after a sleep. Its `serialExecutor` runs the actors that name it as their executor; the
/// compiler checks their isolation. Other types that say "confined to its loop" also hold no
/// locks, and are called only by code that runs on the loop. A call of an asynchronous function may
/// let the loop do other things first, so a condition that such a function has checked may no
/// longer hold in the body of `Resumption.outcome`.
///
/// A turn runs in this order: descriptors, work continued from the last turn, timers, submitted
/// work, jobs and deferred work, and finally the end-of-turn handlers, which write everything that the
/// turn has gathered at once.
///
/// Members may be used only on the loop's thread unless their documentation says otherwise.
// @unchecked: everything but `inbox` and `thread` is touched only by the loop's own thread.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
    public let name: String
    /// Runs actors on the loop.
    public let serialExecutor = LoopSerialExecutor()

    private let epoll: Epoll
    /// An eventfd(2), which other threads write to.
    private let wakeUp: Descriptor
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var timers = Heap<ScheduledTimer>()
    private var cancelledTimers = 0
    private var timerSequence: UInt64 = 0
    private var jobs = Deque<Work>()
    private var endOfTurnHandlers: [any EndOfTurnHandler] = []
    private var endingHandlers: [any EndOfTurnHandler] = []
    private var nextTurnHandlers: [any NextTurnHandler] = []
    private var isStopping = false

    /// Reads the clock of the loop's timers. `now` is cheaper.
    public let clock: @Sendable () -> MonotonicTime
    /// The time when this turn began.
    public private(set) var now: MonotonicTime

    /// A shared buffer for reads; empty while a stream has taken it.
    private var scratch: [UInt8] = []

    /// A shared buffer for writes. A handler passes the bytes to the kernel, or copies them, before
    /// it returns.
    var output = OutputBuffer()

    private let turnTimes: Stopwatch
    private let timerDelays: Stopwatch

    private let inbox = Mutex(Inbox())
    private let thread = Atomic<UInt>(0)

    /// Starts the thread.
    ///
    /// - Parameter clock: A clock that a test moves must wake the loop, for example by giving it work.
    public init(
        name: String = "loop", clock: @escaping @Sendable () -> MonotonicTime = MonotonicTime.read
    ) throws(SystemError) {
        self.name = name
        self.clock = clock
        now = clock()
        turnTimes = Stopwatch(LoopMetrics.turns, [("loop", name)])
        timerDelays = Stopwatch(LoopMetrics.timerDelays, [("loop", name)])
        epoll = try Epoll()
        wakeUp = try Descriptor(
            opened: eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)), by: "eventfd")
        unsafe serialExecutor.owner = self
        try epoll.add(wakeUp.number, for: clinux_epollin, token: Self.wakeUpToken)
        try startThread()
    }

    private func startThread() throws(SystemError) {
        var identifier = pthread_t()
        // The thread owns a reference to the loop until `run` has returned.
        let context = unsafe Unmanaged.passRetained(self)
        let status = unsafe pthread_create(
            &identifier, nil,
            { context in
                guard let context = unsafe context else { return nil }
                let loop = unsafe Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue()
                loop.thread.store(UInt(pthread_self()), ordering: .sequentiallyConsistent)
                loop.run()
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            unsafe context.release()
            throw SystemError(call: "pthread_create", code: status)
        }
        pthread_detach(identifier)
    }

    // MARK: Work

    /// Whether the caller is on the loop's thread. Any thread may ask.
    public var isCurrent: Bool {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Stops the program unless the caller is on the loop's thread or the loop has stopped. Any
    /// thread may call this.
    @inline(__always)
    public func preconditionIsCurrent() {
        precondition(isCurrent || hasStopped, "used outside its event loop")
    }

    /// Whether the loop has stopped and accepts no more work. Any thread may ask.
    public var hasStopped: Bool {
        inbox.withLock { $0.isClosed }
    }

    /// Runs a job of a Swift task on the loop. Any thread may call this.
    ///
    /// After the loop has stopped, the job runs on Swift's global executor, so that a task that
    /// outlives the loop ends instead of hanging.
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(LoopJob(job: UnownedJob(job), isOfActor: false))
    }

    fileprivate func enqueue(_ job: LoopJob) {
        if isCurrent {
            jobs.append(.job(job))
        } else if !submit(.job(job)) {
            globalConcurrentExecutor.enqueue(job.job)
        }
    }

    /// Runs `work` on the loop, in the order of the calls. Any thread may call this.
    ///
    /// - Returns: `false` if the loop has stopped. `work` is then not run.
    @discardableResult
    public func execute(_ work: @escaping @Sendable () -> Void) -> Bool {
        submit(.closure(work))
    }

    /// Runs `work` in this turn, once the code that is running now and the jobs that are due have run.
    /// This is for what a task would do too expensively. Once the loop has stopped, `work` runs at once.
    public func deferred(_ work: @escaping @Sendable () -> Void) {
        guard isCurrent else { return work() }
        jobs.append(.closure(work))
    }

    /// Returns once the loop has reached the work submitted before this call, or has stopped. Any
    /// thread may call this.
    public func turn() async {
        await withCheckedContinuation { continuation in
            if !execute({ continuation.resume() }) { continuation.resume() }
        }
    }

    /// Returns after `duration`, or at once if the loop has stopped. If the loop stops in that time, this
    /// never returns. Cancelling the task doesn't end the sleep. Any thread may call this.
    public func sleep(for duration: Duration) async {
        await withCheckedContinuation { continuation in
            let isAccepted = execute {
                self.schedule(after: duration) { continuation.resume() }
            }
            if !isAccepted { continuation.resume() }
        }
    }

    private func submit(_ work: Work) -> Bool {
        let (accepted, mustWake) = inbox.withLock { inbox in
            guard !inbox.isClosed else { return (false, false) }
            inbox.work.append(work)
            let mustWake = !inbox.isSignalled
            inbox.isSignalled = true
            return (true, mustWake)
        }
        if mustWake {
            // Fails only if the counter is full, and a full counter also wakes the loop.
            _ = eventfd_write(wakeUp.number, 1)
        }
        return accepted
    }

    /// Calls `handler` once, when everything else in this turn is done.
    public func atEndOfTurn(_ handler: any EndOfTurnHandler) {
        endOfTurnHandlers.append(handler)
    }

    /// Calls `handler` once, in the next turn. This is for handlers that have used up their share
    /// of this turn.
    public func atNextTurn(_ handler: any NextTurnHandler) {
        nextTurnHandlers.append(handler)
    }

    /// Ends the thread once all work submitted so far is done, including any that this work submits
    /// in turn. Pending timers never fire. The loop forgets its descriptors without closing them,
    /// so close everything that uses the loop first. Any thread may call this, more than once.
    public func stop() {
        execute { self.isStopping = true }
    }

    // MARK: Descriptors

    /// Watches a descriptor. The caller still owns the descriptor, and must cancel the registration
    /// before closing it.
    ///
    /// - Parameter handler: Retained until the registration is cancelled.
    public func register(
        _ descriptor: Int32, for interest: Readiness, trigger: ReadinessTrigger,
        handler: any ReadinessHandler
    ) throws(SystemError) -> DescriptorRegistration {
        let index: Int
        if let free = freeSlots.popLast() {
            index = free
        } else {
            index = slots.count
            slots.append(Slot())
        }
        let registration = DescriptorRegistration(
            slot: UInt32(index), generation: slots[index].generation, descriptor: descriptor,
            trigger: trigger)
        do throws(SystemError) {
            try epoll.add(
                descriptor, for: interest.rawValue | trigger.bits, token: registration.token)
        } catch {
            freeSlots.append(index)
            throw error
        }
        slots[index].handler = handler
        return registration
    }

    /// Changes what a registration waits for. Does nothing if the registration was cancelled.
    public func update(_ registration: DescriptorRegistration, to interest: Readiness) {
        guard isLive(registration) else { return }
        epoll.update(
            registration.descriptor, to: interest.rawValue | registration.trigger.bits,
            token: registration.token)
    }

    /// Ends a registration. Its handler is not called again. Cancelling twice does nothing.
    public func cancel(_ registration: DescriptorRegistration) {
        guard isLive(registration) else { return }
        epoll.remove(registration.descriptor)
        let index = Int(registration.slot)
        // Released last, because the handler may use the loop while it is being deallocated.
        let handler = slots[index].handler
        defer { withExtendedLifetime(handler) {} }
        slots[index].handler = nil
        // Events that the kernel has already returned for this registration carry the old
        // generation, so they match no handler.
        slots[index].generation &+= 1
        freeSlots.append(index)
    }

    private func isLive(_ registration: DescriptorRegistration) -> Bool {
        guard slots.indices.contains(Int(registration.slot)) else { return false }
        let slot = slots[Int(registration.slot)]
        return slot.generation == registration.generation && slot.handler != nil
    }

    // MARK: Reading

    /// Lends the buffer for reads, 64 KiB, until it is given back. A stream that is read while another one
    /// delivers what it has read gets a buffer of its own.
    func takeScratch() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &scratch)
        return taken.isEmpty ? [UInt8](repeating: 0, count: 65_536) : taken
    }

    func giveBack(scratch taken: consuming [UInt8]) { scratch = taken }

    // MARK: Timers

    /// Calls `action` once, at the first turn that begins after `duration`.
    @discardableResult
    public func schedule(
        after duration: Duration, _ action: @escaping () -> Void
    ) -> LoopTimer {
        schedule(at: now + duration, action)
    }

    /// Calls `action` once, at the first turn that begins at `time` or later.
    public func schedule(at time: MonotonicTime, _ action: @escaping () -> Void) -> LoopTimer {
        let timer = LoopTimer(loop: self, action: action)
        timerSequence += 1
        timers.insert(ScheduledTimer(deadline: time, sequence: timerSequence, timer: timer))
        return timer
    }

    /// Removes cancelled timers from the heap once there are more than 64 of them and they make up
    /// more than half of it. Until then, each stays until it reaches the front.
    func timerWasCancelled() {
        cancelledTimers += 1
        guard cancelledTimers > 64, cancelledTimers * 2 > timers.count else { return }
        timers = Heap(timers.unordered.filter { $0.timer.isPending })
        cancelledTimers = 0
    }

    // MARK: The turn

    private func run() {
        var events = Epoll.Events()
        while true {
            let reported = epoll.wait(for: &events, milliseconds: millisecondsToWait())
            now = clock()
            // Only the handlers added before this turn's events. Those that the events add wait for
            // the next turn.
            let continuing = nextTurnHandlers
            if !continuing.isEmpty { nextTurnHandlers.removeAll(keepingCapacity: true) }
            for index in reported { dispatch(events[index]) }
            for handler in continuing { handler.turnContinues() }
            fireTimers()
            takeInbox()
            runJobs()
            runEndOfTurnHandlers()
            turnTimes.record(clock() - now)
            if isStopping, closeIfIdle() { return }
        }
    }

    private func millisecondsToWait() -> Int32 {
        guard jobs.isEmpty, endOfTurnHandlers.isEmpty, nextTurnHandlers.isEmpty, !isStopping
        else { return 0 }
        while let first = timers.min, !first.timer.isPending {
            timers.removeMin()
            cancelledTimers -= 1
        }
        guard let next = timers.min else { return -1 }
        let time = clock()
        guard next.deadline > time else { return 0 }
        let left = next.deadline.nanoseconds - time.nanoseconds
        // Rounded up, because waking a little early would make the loop spin.
        return Int32(clamping: min((left + 999_999) / 1_000_000, 60_000))
    }

    private func dispatch(_ event: (token: UInt64, readiness: Readiness)) {
        guard event.token != Self.wakeUpToken else {
            var counter: eventfd_t = 0
            _ = unsafe eventfd_read(wakeUp.number, &counter)
            return
        }
        let slot = Int(event.token & 0xFFFF_FFFF)
        guard slots.indices.contains(slot), slots[slot].generation == UInt32(event.token >> 32),
            let handler = slots[slot].handler
        else { return }
        handler.descriptorIsReady(event.readiness)
    }

    private func fireTimers() {
        // A timer scheduled while others fire waits for the next turn. Otherwise a timer that
        // reschedules itself without delay would hold up the loop.
        let last = timerSequence
        while let next = timers.min, next.deadline <= now || !next.timer.isPending {
            guard next.sequence <= last else { return }
            timers.removeMin()
            if next.timer.isPending {
                timerDelays.record(now - next.deadline)
                next.timer.fire()
            } else {
                cancelledTimers -= 1
            }
        }
    }

    private func takeInbox() {
        let work = inbox.withLock { inbox in
            inbox.isSignalled = false
            guard !inbox.work.isEmpty else { return [Work]() }
            let work = inbox.work
            inbox.work = []
            return work
        }
        for item in work {
            switch item {
            case .job: jobs.append(item)
            case .closure(let closure): closure()
            }
        }
    }

    private func runJobs() {
        // Jobs can enqueue more jobs. The bound lets descriptors and timers be handled in between.
        var budget = 512
        while budget > 0, let item = jobs.popFirst() {
            switch item {
            case .job(let job) where job.isOfActor:
                unsafe job.job.runSynchronously(
                    isolatedTo: serialExecutor.asUnownedSerialExecutor(),
                    taskExecutor: asUnownedTaskExecutor())
            case .job(let job): unsafe job.job.runSynchronously(on: asUnownedTaskExecutor())
            case .closure(let work): work()
            }
            budget -= 1
        }
    }

    private func runEndOfTurnHandlers() {
        guard !endOfTurnHandlers.isEmpty else { return }
        swap(&endOfTurnHandlers, &endingHandlers)
        for handler in endingHandlers { handler.turnEnds() }
        endingHandlers.removeAll(keepingCapacity: true)
    }

    private func closeIfIdle() -> Bool {
        guard jobs.isEmpty, endOfTurnHandlers.isEmpty, nextTurnHandlers.isEmpty else {
            return false
        }
        let isClosed = inbox.withLock { inbox in
            guard inbox.work.isEmpty else { return false }
            inbox.isClosed = true
            return true
        }
        guard isClosed else { return false }
        // The system may reuse this thread's identifier for a new thread, which is not the loop's.
        thread.store(0, ordering: .sequentiallyConsistent)
        // Handlers and timers may retain the loop, so the loop releases them here. They may use the
        // loop while they are being deallocated, and must find it empty.
        let remains = (slots, timers)
        slots = []
        freeSlots = []
        timers = Heap()
        withExtendedLifetime(remains) {}
        return true
    }

    private static let wakeUpToken = UInt64.max
}

/// Something that gathers work during a turn and does it when the turn ends.
public protocol EndOfTurnHandler: AnyObject {
    func turnEnds()
}

/// Something that continues its work in the next turn, so that it does not hold up the loop.
public protocol NextTurnHandler: AnyObject {
    func turnContinues()
}

/// A descriptor that a loop watches. Confined to that loop.
public struct DescriptorRegistration {
    fileprivate let slot: UInt32
    fileprivate let generation: UInt32
    fileprivate let descriptor: Int32
    fileprivate let trigger: ReadinessTrigger

    fileprivate var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

extension ReadinessTrigger {
    fileprivate var bits: UInt32 {
        switch self {
        case .level: 0
        case .edge: clinux_epollet
        case .exclusive: clinux_epollexclusive
        }
    }
}

private struct Slot {
    var generation: UInt32 = 0
    var handler: (any ReadinessHandler)?
}

/// Runs actors on the thread of its loop, which owns it. It is separate from the loop because an
/// actor's job runs in the actor's isolation, and other jobs run in none. With one executor for
/// both, Swift would enqueue every task again at each call of an asynchronous function.
// @unchecked: the loop is set once, before anyone else knows of it.
public final class LoopSerialExecutor: SerialExecutor, @unchecked Sendable {
    fileprivate unowned(unsafe) var owner: EventLoop?

    private var loop: EventLoop {
        guard let owner = unsafe owner else { preconditionFailure("used without its loop") }
        return owner
    }

    /// Runs a job of an actor on the loop. Any thread may call this, while the loop exists.
    public func enqueue(_ job: consuming ExecutorJob) {
        loop.enqueue(LoopJob(job: UnownedJob(job), isOfActor: true))
    }

    /// The check that `assumeIsolated` makes through an actor's executor. Any thread may call this.
    public func checkIsolated() { loop.preconditionIsCurrent() }
}

private struct LoopJob {
    let job: UnownedJob
    let isOfActor: Bool
}

private enum Work {
    case job(LoopJob)
    case closure(@Sendable () -> Void)
}

private struct Inbox {
    var work: [Work] = []
    var isSignalled = false
    var isClosed = false
}

private struct ScheduledTimer: Comparable {
    let deadline: MonotonicTime
    let sequence: UInt64
    let timer: LoopTimer

    static func < (a: ScheduledTimer, b: ScheduledTimer) -> Bool {
        a.deadline == b.deadline ? a.sequence < b.sequence : a.deadline < b.deadline
    }

    static func == (a: ScheduledTimer, b: ScheduledTimer) -> Bool {
        a.sequence == b.sequence
    }
}
