//! Runs functions of the application that supply credentials. They may block for long or for ever, so each runs on a
//! thread of its own. A call that nobody waits for any more is given up: a function that can be told so ends, and of
//! those that cannot a bounded number may go on at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Most calls of a process that may go on after they were given up; beyond that no thread is started for another one.
const MOST_GIVEN_UP: usize = 64;

/// A function of the application that is called by at most one thread at a time. Whoever asks while a call is under way
/// shares the next call with all others who do, so a function that never returns costs one thread and not one for each
/// connection.
pub struct ApplicationCall<T> {
    shared: Arc<SharedCall<T>>,
}

/// One call, as the function sees it: it can register what ends it early.
pub struct CallAttempt {
    state: Mutex<AttemptState>,
    given_up: Arc<AtomicUsize>,
}

#[derive(Default)]
struct AttemptState {
    is_given_up: bool,
    end: Option<Box<dyn FnOnce() + Send>>,
}

type CallOutcome<T> = Result<T, Arc<str>>;
type Function<T> = dyn Fn(&CallAttempt) -> CallOutcome<T> + Send + Sync;

struct SharedCall<T> {
    function: Box<Function<T>>,
    state: Mutex<CallState<T>>,
    /// Counts calls that were given up and go on, over all functions that share the limit.
    given_up: Arc<AtomicUsize>,
}

struct CallState<T> {
    /// True while a thread runs the calls.
    is_running: bool,
    called: Option<Called<T>>,
    waiting: Vec<oneshot::Sender<CallOutcome<T>>>,
}

/// The call under way, and those who wait for its outcome.
struct Called<T> {
    attempt: Arc<CallAttempt>,
    waiting: Vec<oneshot::Sender<CallOutcome<T>>>,
}

/// One who waits for an outcome, until it is dropped.
struct CallWaiter<T> {
    outcome: Option<oneshot::Receiver<CallOutcome<T>>>,
    shared: Arc<SharedCall<T>>,
}

impl<T: Clone + Send + 'static> ApplicationCall<T> {
    /// Makes the holder of a function without calling it. The function's error is a message that says why there is no
    /// value.
    pub fn new(function: impl Fn(&CallAttempt) -> CallOutcome<T> + Send + Sync + 'static) -> Self {
        static GIVEN_UP: Mutex<Option<Arc<AtomicUsize>>> = Mutex::new(None);
        let given_up = Arc::clone(GIVEN_UP.lock().get_or_insert_default());
        Self::counted(function, given_up)
    }

    fn counted(
        function: impl Fn(&CallAttempt) -> CallOutcome<T> + Send + Sync + 'static,
        given_up: Arc<AtomicUsize>,
    ) -> Self {
        Self {
            shared: Arc::new(SharedCall {
                function: Box::new(function),
                state: Mutex::new(CallState {
                    is_running: false,
                    called: None,
                    waiting: Vec::new(),
                }),
                given_up,
            }),
        }
    }

    /// Returns the outcome of a call that begins after this one. There is no time limit: whoever waits gives up by
    /// dropping the future, and when the last of them has gone the call is given up.
    pub fn call(&self) -> impl Future<Output = CallOutcome<T>> + Send + use<T> {
        let (sender, outcome) = oneshot::channel();
        let must_start = {
            let mut state = self.shared.state.lock();
            state.waiting.retain(|waiter| !waiter.is_closed());
            state.waiting.push(sender);
            !std::mem::replace(&mut state.is_running, true)
        };
        if must_start && let Err(problem) = self.start() {
            self.shared.fail(&problem);
        }
        let mut waiter = CallWaiter {
            outcome: Some(outcome),
            shared: Arc::clone(&self.shared),
        };
        async move {
            let ended = |_| Err("the process is ending".into());
            match waiter.outcome.as_mut() {
                Some(outcome) => outcome.await.unwrap_or_else(ended),
                None => Err("nobody waits any more".into()),
            }
        }
    }

    fn start(&self) -> Result<(), Arc<str>> {
        if self.shared.given_up.load(Ordering::Relaxed) >= MOST_GIVEN_UP {
            return Err(format!(
                "{MOST_GIVEN_UP} calls of functions that give credentials have not returned in this process, and no more \
                 are made beside them; give such a function a time limit of its own, or make it asynchronous, which can \
                 be cancelled"
            )
            .into());
        }
        let shared = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new().name("kafkars-credentials".to_owned());
        let started = thread.spawn(move || shared.run());
        match started {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("no thread could be started for it: {error}").into()),
        }
    }
}

impl<T: Clone> SharedCall<T> {
    /// Calls the function for as long as anybody waits.
    fn run(&self) {
        while let Some(attempt) = self.next() {
            let called = catch_unwind(AssertUnwindSafe(|| (self.function)(&attempt)));
            let outcome = called.unwrap_or_else(|_| Err("it panicked".into()));
            let called = self.state.lock().called.take();
            attempt.returned();
            for waiter in called.into_iter().flat_map(|called| called.waiting) {
                // Those who have gone hear nothing.
                let _ = waiter.send(outcome.clone());
            }
        }
    }

    /// Begins the next call, if anybody waits for one.
    fn next(&self) -> Option<Arc<CallAttempt>> {
        let mut state = self.state.lock();
        state.waiting.retain(|waiter| !waiter.is_closed());
        if state.waiting.is_empty() {
            state.is_running = false;
            return None;
        }
        let attempt = Arc::new(CallAttempt {
            state: Mutex::default(),
            given_up: Arc::clone(&self.given_up),
        });
        state.called = Some(Called {
            attempt: Arc::clone(&attempt),
            waiting: std::mem::take(&mut state.waiting),
        });
        Some(attempt)
    }

    fn fail(&self, problem: &Arc<str>) {
        let waiting = {
            let mut state = self.state.lock();
            state.is_running = false;
            std::mem::take(&mut state.waiting)
        };
        for waiter in waiting {
            let _ = waiter.send(Err(Arc::clone(problem)));
        }
    }
}

impl<T> Drop for CallWaiter<T> {
    fn drop(&mut self) {
        drop(self.outcome.take());
        let state = self.shared.state.lock();
        if let Some(called) = &state.called
            && called.waiting.iter().all(oneshot::Sender::is_closed)
        {
            called.attempt.give_up();
        }
    }
}

impl CallAttempt {
    /// Registers a function that ends the call early. It runs on a thread of its own when nobody waits for the outcome
    /// any more; at once if that is so already.
    pub fn on_given_up(&self, end: impl FnOnce() + Send + 'static) {
        let mut state = self.state.lock();
        match state.is_given_up {
            true => run_apart(Box::new(end)),
            false => state.end = Some(Box::new(end)),
        }
    }

    fn give_up(&self) {
        let mut state = self.state.lock();
        if !std::mem::replace(&mut state.is_given_up, true) {
            self.given_up.fetch_add(1, Ordering::Relaxed);
            if let Some(end) = state.end.take() {
                run_apart(end);
            }
        }
    }

    /// Notes that the function has returned, so nothing ends it any more.
    fn returned(&self) {
        let mut state = self.state.lock();
        state.end = None;
        if state.is_given_up {
            self.given_up.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Runs `end` on a thread of its own: the caller may be a thread that serves sockets, and `end` may wait for the
/// interpreter.
fn run_apart(end: Box<dyn FnOnce() + Send>) {
    let thread = std::thread::Builder::new().name("kafkars-credentials".to_owned());
    if let Err(error) = thread.spawn(end) {
        tracing::debug!(target: "kafkars::net", %error, "a function that gives credentials cannot be told to end");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    /// A function that says when it begins, and goes on when it is told to.
    fn gated() -> (
        ApplicationCall<usize>,
        mpsc::Receiver<usize>,
        mpsc::Sender<()>,
    ) {
        let (begun, begins) = mpsc::channel();
        let (go_on, gate) = mpsc::channel::<()>();
        let gate = Mutex::new(gate);
        let calls = AtomicUsize::new(0);
        let call = ApplicationCall::new(move |_| {
            let number = calls.fetch_add(1, Ordering::SeqCst) + 1;
            begun.send(number).expect("the test listens");
            let told = gate.lock().recv_timeout(LONG);
            told.map_err(|_| Arc::from("nobody told it"))?;
            Ok(number)
        });
        (call, begins, go_on)
    }

    #[tokio::test]
    async fn those_who_ask_during_a_call_share_the_next_one() {
        let (call, begins, go_on) = gated();
        let first = call.call();
        assert_eq!(begins.recv_timeout(LONG), Ok(1));
        let others = [call.call(), call.call(), call.call()];
        go_on.send(()).expect("the call waits");
        assert_eq!(first.await, Ok(1));
        assert_eq!(begins.recv_timeout(LONG), Ok(2));
        go_on.send(()).expect("the call waits");
        for other in others {
            assert_eq!(other.await, Ok(2));
        }
    }

    #[tokio::test]
    async fn a_call_that_hangs_is_not_made_again_beside_itself() {
        let (call, begins, go_on) = gated();
        for _ in 0..100 {
            let asked = call.call();
            let in_time = tokio::time::timeout(Duration::from_millis(1), asked).await;
            assert!(in_time.is_err());
        }
        assert_eq!(begins.recv_timeout(LONG), Ok(1));
        assert!(begins.try_recv().is_err(), "one thread calls");
        assert!(
            call.shared.state.lock().waiting.len() <= 1,
            "who gave up is forgotten"
        );
        let next = call.call();
        go_on.send(()).expect("the call waits");
        go_on.send(()).expect("the call waits");
        assert_eq!(next.await, Ok(2));
    }

    #[tokio::test]
    async fn a_panic_is_an_outcome() {
        let call = ApplicationCall::<()>::new(|_| panic!("of the test"));
        assert_eq!(call.call().await, Err("it panicked".into()));
        assert_eq!(call.call().await, Err("it panicked".into()));
    }

    #[tokio::test]
    async fn a_call_ends_with_the_last_who_waits_for_it() {
        let (begun, begins) = mpsc::channel();
        let (ended, ends) = mpsc::channel();
        let call = ApplicationCall::new(move |attempt| {
            let (end, told) = mpsc::channel();
            begun.send(()).expect("the test listens");
            attempt.on_given_up(move || end.send(()).expect("it listens"));
            ended
                .send(told.recv_timeout(LONG))
                .expect("the test listens");
            Ok(())
        });
        let first = call.call();
        assert_eq!(begins.recv_timeout(LONG), Ok(()));
        let (second, third) = (call.call(), call.call());
        drop(first);
        assert_eq!(ends.recv_timeout(LONG), Ok(Ok(())));
        assert_eq!(begins.recv_timeout(LONG), Ok(()));
        drop(second);
        assert!(ends.try_recv().is_err(), "somebody still waits");
        drop(third);
        assert_eq!(ends.recv_timeout(LONG), Ok(Ok(())));
        while call.shared.state.lock().is_running {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn calls_that_cannot_be_ended_are_bounded() {
        let given_up = Arc::new(AtomicUsize::new(0));
        let (go_on, gate) = mpsc::channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        let hanging = || {
            let (begun, begins) = mpsc::channel();
            let gate = Arc::clone(&gate);
            let function = move |_: &CallAttempt| {
                begun.send(()).expect("the test listens");
                let _ = gate.lock().recv_timeout(LONG);
                Ok(1)
            };
            (
                ApplicationCall::counted(function, Arc::clone(&given_up)),
                begins,
            )
        };
        for number in 1..=MOST_GIVEN_UP {
            let (call, begins) = hanging();
            let asked = call.call();
            assert_eq!(begins.recv_timeout(LONG), Ok(()));
            drop(asked);
            assert_eq!(given_up.load(Ordering::Relaxed), number);
        }
        let (call, _begins) = hanging();
        let problem = call.call().await.expect_err("there is no thread for it");
        assert!(problem.contains("have not returned"), "{problem}");
        drop(go_on);
        while given_up.load(Ordering::Relaxed) > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(call.call().await, Ok(1));
    }
}
