import CLinux
import Collections
import Glibc
import Synchronization

/// One thread that waits in epoll(7) and runs what becomes ready: descriptors, timers, and the
/// jobs of Swift tasks.
///
/// As a `TaskExecutor` it keeps a task started with `Task(executorPreference: loop)` on its thread,
/// together with the task's children, the default actors it calls and what follows its sleeps. As a
/// `SerialExecutor` it runs actors that name it as theirs, whose isolation the compiler checks.
/// Other types that say "confined to its loop" hold no locks either, and are called by what runs
/// there.
///
/// A turn runs in this order: descriptors, what goes on from the last turn, timers, work from other
/// threads, jobs, and last the end-of-turn handlers, which write out in one go what the turn has
/// gathered.
///
/// All members may be used only on the loop's thread, except where they say otherwise.
// @unchecked: everything but `inbox` and `thread` is touched only by the loop's own thread.
public final class EventLoop: TaskExecutor, SerialExecutor, @unchecked Sendable {
    public let name: String

    private let epoll: Int32
    private let wakeUpDescriptor: Int32
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var timers = Heap<ScheduledTimer>()
    private var cancelledTimers = 0
    private var timerSequence: UInt64 = 0
    private var jobs = Deque<UnownedJob>()
    private var endOfTurnHandlers: [any EndOfTurnHandler] = []
    private var endingHandlers: [any EndOfTurnHandler] = []
    private var nextTurnHandlers: [any NextTurnHandler] = []
    private var isStopping = false

    /// The time at which this turn began.
    public private(set) var now = MonotonicTime.read()

    /// For reads whose bytes are used up, or copied, before the handler returns.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    /// For writes that go to the kernel, or are copied, before the handler returns.
    var output = OutputBuffer()

    private let inbox = Mutex(Inbox())
    private let thread = Atomic<UInt>(0)

    /// Starts the thread.
    public init(name: String = "loop") throws(SystemError) {
        self.name = name
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError(call: "epoll_create1") }
        wakeUpDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        // From here on deinit closes both, also if this initializer throws.
        guard wakeUpDescriptor >= 0 else { throw SystemError(call: "eventfd") }
        guard
            clinux_epoll_ctl(
                epoll, EPOLL_CTL_ADD, wakeUpDescriptor, clinux_epollin, Self.wakeUpToken) == 0
        else { throw SystemError(call: "epoll_ctl") }
        try startThread()
    }

    deinit {
        close(epoll)
        close(wakeUpDescriptor)
        scratch.deallocate()
    }

    private func startThread() throws(SystemError) {
        var identifier = pthread_t()
        // The thread owns a reference to the loop until `run` has returned.
        let context = Unmanaged.passRetained(self)
        let status = pthread_create(
            &identifier, nil,
            { context in
                guard let context else { return nil }
                let loop = Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue()
                loop.thread.store(UInt(pthread_self()), ordering: .sequentiallyConsistent)
                loop.run()
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            throw SystemError(call: "pthread_create", code: status)
        }
        pthread_detach(identifier)
    }

    // MARK: Work

    /// Whether the caller is on the loop's thread. Any thread may ask.
    public var isCurrent: Bool {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Stops the program if the caller is on another thread while the loop lives. Any thread may
    /// call it.
    @inline(__always)
    public func preconditionIsCurrent() {
        precondition(isCurrent || hasStopped, "used outside its event loop")
    }

    /// What `assumeIsolated` asks of an actor's executor. Any thread may call it.
    public func checkIsolated() { preconditionIsCurrent() }

    /// Whether the thread has ended. Any thread may ask.
    public var hasStopped: Bool {
        inbox.withLock { $0.isClosed }
    }

    /// Runs a job of a Swift task. Any thread may call it.
    ///
    /// After the loop has stopped the job runs on Swift's global executor, so that a task that
    /// outlives the loop ends instead of hanging.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            jobs.append(job)
        } else if !submit(.job(job)) {
            globalConcurrentExecutor.enqueue(job)
        }
    }

    /// Runs `work` on the loop, in the order of the calls. Any thread may call it.
    ///
    /// - Returns: `false`, without having run it, if the loop has stopped.
    @discardableResult
    public func execute(_ work: @escaping @Sendable () -> Void) -> Bool {
        submit(.closure(work))
    }

    /// Returns when the loop has come to what was submitted before, or has stopped. Any thread may
    /// call it.
    public func turn() async {
        await withCheckedContinuation { continuation in
            if !execute({ continuation.resume() }) { continuation.resume() }
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
            var one: UInt64 = 1
            // Cannot fail but by a full counter, which also wakes the loop.
            _ = write(wakeUpDescriptor, &one, 8)
        }
        return accepted
    }

    /// Calls `handler` once, when this turn has done all else.
    public func atEndOfTurn(_ handler: any EndOfTurnHandler) {
        endOfTurnHandlers.append(handler)
    }

    /// Calls `handler` once, in the next turn: for what has had its share of this one.
    public func atNextTurn(_ handler: any NextTurnHandler) {
        nextTurnHandlers.append(handler)
    }

    /// Ends the thread once the work submitted so far, and what that work submits, is done.
    /// Pending timers never fire, and descriptors are forgotten, not closed: close what uses the loop
    /// before. Any thread may call this, more than once.
    public func stop() {
        execute { self.isStopping = true }
    }

    // MARK: Descriptors

    /// Watches a descriptor, which stays the caller's: it must cancel before closing it.
    ///
    /// - Parameter handler: Kept until the registration is cancelled.
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
        let status = clinux_epoll_ctl(
            epoll, EPOLL_CTL_ADD, descriptor, interest.rawValue | trigger.bits,
            registration.token)
        guard status == 0 else {
            let error = SystemError(call: "epoll_ctl")
            freeSlots.append(index)
            throw error
        }
        slots[index].handler = handler
        return registration
    }

    /// Changes what a registration waits for. A cancelled registration is left alone.
    public func update(_ registration: DescriptorRegistration, to interest: Readiness) {
        guard isLive(registration) else { return }
        _ = clinux_epoll_ctl(
            epoll, EPOLL_CTL_MOD, registration.descriptor,
            interest.rawValue | registration.trigger.bits, registration.token)
    }

    /// Ends a registration; from here on its handler is not called. Cancelling twice does nothing.
    public func cancel(_ registration: DescriptorRegistration) {
        guard isLive(registration) else { return }
        _ = clinux_epoll_ctl(epoll, EPOLL_CTL_DEL, registration.descriptor, 0, 0)
        let index = Int(registration.slot)
        // Released last: a handler may use the loop while it is deallocated.
        let handler = slots[index].handler
        defer { withExtendedLifetime(handler) {} }
        slots[index].handler = nil
        // Events of this registration that the kernel has already handed out carry the old
        // generation and find nobody.
        slots[index].generation &+= 1
        freeSlots.append(index)
    }

    private func isLive(_ registration: DescriptorRegistration) -> Bool {
        guard slots.indices.contains(Int(registration.slot)) else { return false }
        let slot = slots[Int(registration.slot)]
        return slot.generation == registration.generation && slot.handler != nil
    }

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

    /// Cancelled timers stay in the heap until their time comes or they are half of it.
    func timerWasCancelled() {
        cancelledTimers += 1
        guard cancelledTimers > 64, cancelledTimers * 2 > timers.count else { return }
        timers = Heap(timers.unordered.filter { $0.timer.isPending })
        cancelledTimers = 0
    }

    // MARK: The turn

    private func run() {
        let capacity = 512
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
        defer { events.deallocate() }
        while true {
            let count = epoll_wait(epoll, events, Int32(capacity), millisecondsToWait())
            now = MonotonicTime.read()
            // Those that wait since the last turn, not those that events of this one add.
            let continuing = nextTurnHandlers
            if !continuing.isEmpty { nextTurnHandlers.removeAll(keepingCapacity: true) }
            if count > 0 { dispatch(events, count: Int(count)) }
            for handler in continuing { handler.turnContinues() }
            fireTimers()
            takeInbox()
            runJobs()
            runEndOfTurnHandlers()
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
        let time = MonotonicTime.read()
        guard next.deadline > time else { return 0 }
        let left = next.deadline.nanoseconds - time.nanoseconds
        // Rounded up: waking a little early would spin.
        return Int32(clamping: min((left + 999_999) / 1_000_000, 60_000))
    }

    private func dispatch(_ events: UnsafeMutablePointer<epoll_event>, count: Int) {
        for index in 0..<count {
            let token = clinux_event_token(events + index)
            if token == Self.wakeUpToken {
                var counter: UInt64 = 0
                _ = read(wakeUpDescriptor, &counter, 8)
                continue
            }
            let slot = Int(token & 0xFFFF_FFFF)
            guard slots.indices.contains(slot),
                slots[slot].generation == UInt32(token >> 32), let handler = slots[slot].handler
            else { continue }
            handler.descriptorIsReady(Readiness(rawValue: clinux_event_bits(events + index)))
        }
    }

    private func fireTimers() {
        // One that is set while others fire waits for the next turn, or a timer that sets itself
        // again at once would hold the loop.
        let last = timerSequence
        while let next = timers.min, next.deadline <= now || !next.timer.isPending {
            guard next.sequence <= last else { return }
            timers.removeMin()
            if next.timer.isPending {
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
            case .job(let job): jobs.append(job)
            case .closure(let closure): closure()
            }
        }
    }

    private func runJobs() {
        // Jobs make jobs. The bound lets descriptors and timers have their turn in between.
        var budget = 512
        while budget > 0, let job = jobs.popFirst() {
            job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
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
        guard jobs.isEmpty, endOfTurnHandlers.isEmpty else { return false }
        let isClosed = inbox.withLock { inbox in
            guard inbox.work.isEmpty else { return false }
            inbox.isClosed = true
            return true
        }
        guard isClosed else { return false }
        // The system may give this thread's identifier to a new one, which is not the loop.
        thread.store(0, ordering: .sequentiallyConsistent)
        // Handlers and timers may retain the loop, so it releases them. They may use the loop while
        // they are deallocated, and must find it empty.
        let remains = (slots, timers, nextTurnHandlers)
        slots = []
        nextTurnHandlers = []
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

/// Something that goes on in the next turn, so that it does not hold the loop.
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

private enum Work {
    case job(UnownedJob)
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
