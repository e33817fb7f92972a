//! Functions of the application that give credentials. They may block for long or for ever, so each has a thread of its
//! own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// A function that is called by at most one thread at a time. Whoever asks while a call is under way waits for the next
/// one, together with all others who do, so a function that never returns costs one thread and not one a connection.
pub struct ApplicationCall<T> {
    shared: Arc<Shared<T>>,
}

type Outcome<T> = Result<T, Arc<str>>;

struct Shared<T> {
    function: Box<dyn Fn() -> Outcome<T> + Send + Sync>,
    state: Mutex<State<T>>,
}

struct State<T> {
    is_running: bool,
    waiting: Vec<oneshot::Sender<Outcome<T>>>,
}

impl<T: Clone + Send + 'static> ApplicationCall<T> {
    /// Nothing is called yet. The function's error says in words why there is no value.
    pub fn new(function: impl Fn() -> Result<T, Arc<str>> + Send + Sync + 'static) -> Self {
        Self {
            shared: Arc::new(Shared {
                function: Box::new(function),
                state: Mutex::new(State {
                    is_running: false,
                    waiting: Vec::new(),
                }),
            }),
        }
    }

    /// The outcome of a call that begins after this one. It has no time limit of its own: whoever waits gives up by
    /// dropping the future.
    pub fn call(&self) -> impl Future<Output = Result<T, Arc<str>>> + Send + use<T> {
        let (sender, outcome) = oneshot::channel();
        let must_start = {
            let mut state = self.shared.state.lock();
            state.waiting.retain(|waiter| !waiter.is_closed());
            state.waiting.push(sender);
            !std::mem::replace(&mut state.is_running, true)
        };
        if must_start {
            let shared = Arc::clone(&self.shared);
            let thread = std::thread::Builder::new().name("kafkars-credentials".to_owned());
            if let Err(error) = thread.spawn(move || shared.run()) {
                let problem = Arc::from(format!("no thread could be started for it: {error}"));
                self.shared.fail(&problem);
            }
        }
        async move {
            let ended = |_| Err("the process is ending".into());
            outcome.await.unwrap_or_else(ended)
        }
    }
}

impl<T: Clone> Shared<T> {
    /// Calls for as long as anybody waits.
    fn run(&self) {
        loop {
            let waiting = {
                let mut state = self.state.lock();
                state.waiting.retain(|waiter| !waiter.is_closed());
                if state.waiting.is_empty() {
                    state.is_running = false;
                    return;
                }
                std::mem::take(&mut state.waiting)
            };
            let called = catch_unwind(AssertUnwindSafe(&self.function));
            let outcome = called.unwrap_or_else(|_| Err("it panicked".into()));
            for waiter in waiting {
                // Who has given up hears nothing.
                let _ = waiter.send(outcome.clone());
            }
        }
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    /// A call that says when it begins, and goes on when it is told to.
    fn gated() -> (
        ApplicationCall<usize>,
        mpsc::Receiver<usize>,
        mpsc::Sender<()>,
    ) {
        let (begun, begins) = mpsc::channel();
        let (go_on, gate) = mpsc::channel::<()>();
        let gate = Mutex::new(gate);
        let calls = AtomicUsize::new(0);
        let call = ApplicationCall::new(move || {
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
        let call = ApplicationCall::<()>::new(|| panic!("of the test"));
        assert_eq!(call.call().await, Err("it panicked".into()));
        assert_eq!(call.call().await, Err("it panicked".into()));
    }
}
