//! The tasks of one client, which end when it is closed.

use std::future::Future;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

/// Spawns tasks on one runtime and keeps track of them.
#[derive(Debug)]
pub(crate) struct Tasks {
    handle: Handle,
    /// `None` once the tasks were stopped.
    running: Mutex<Option<JoinSet<()>>>,
}

impl Tasks {
    pub(crate) fn new(handle: Handle) -> Self {
        Self {
            handle,
            running: Mutex::new(Some(JoinSet::new())),
        }
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Runs `task` until it ends or the client is closed; drops it at once if the client is closed already.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        if let Some(running) = self.running.lock().as_mut() {
            while running.try_join_next().is_some() {}
            running.spawn_on(task, &self.handle);
        }
    }

    /// Ends all tasks without waiting for them.
    pub(crate) fn abort(&self) {
        let running = self.running.lock().take();
        drop(running);
    }

    /// Ends all tasks and waits until they are gone.
    pub(crate) async fn stop(&self) {
        let running = self.running.lock().take();
        if let Some(mut running) = running {
            running.shutdown().await;
        }
    }
}
