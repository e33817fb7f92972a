//! Questions about many groups or transactional ids, which their coordinators answer.

use std::collections::{BTreeMap, HashSet};
use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use kafkars_core::coordinator::CoordinatorKind;
use kafkars_protocol::ApiKey;
use parking_lot::Mutex;

use super::handle::Admin;
use super::lanes::{LaneStep, Questions, ask_each};
use super::outcome::{Outcomes, all_failed};
use super::routing::Target;
use crate::client::{Retries, finding};
use crate::error::ClientError;

/// A group or a transactional id.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coordinated<'a> {
    pub(super) name: &'a str,
    /// The broker that coordinates it.
    pub(super) by: i32,
}

impl Admin {
    /// Asks about each name once, by its first place. `ask` asks the coordinator once; where that is none any more, or
    /// does not answer, it is called again.
    pub(super) async fn ask_coordinators<'a, T, F>(
        &'a self,
        kind: CoordinatorKind,
        api: ApiKey,
        names: &'a [String],
        ask: impl Fn(usize, Coordinated<'a>) -> F + Sync,
        deadline: Instant,
    ) -> Outcomes<String, T>
    where
        F: Future<Output = Result<T, ClientError>> + Send + 'a,
        T: Send + 'a,
    {
        let names = distinct(names);
        if let Err(error) = self.client.ready(deadline).await {
            let names = names.into_iter().map(|(_, name)| name.clone()).collect();
            return all_failed(names, &error).collect();
        }
        let questions = NamedQuestions {
            admin: self,
            kind,
            api,
            names: &names,
            ask,
            answers: Arc::default(),
            deadline,
        };
        let outcomes = ask_each(&questions, names.len(), deadline).await;
        let mut answers = std::mem::take(&mut *questions.answers.lock());
        let outcomes = names.iter().enumerate().zip(outcomes);
        let outcomes = outcomes.map(|((place, (_, name)), outcome)| {
            let outcome = outcome.and_then(|()| answers.remove(&place).ok_or(ClientError::Closed));
            let named = outcome.map_err(|error| error.about(&kind.naming(name)));
            ((*name).clone(), named)
        });
        outcomes.collect()
    }
}

/// Each name once, with its first place.
fn distinct(names: &[String]) -> Vec<(usize, &String)> {
    let mut known = HashSet::with_capacity(names.len());
    let all = names.iter().enumerate();
    all.filter(|(_, name)| known.insert(*name)).collect()
}

struct NamedQuestions<'n, 'a, T, A> {
    admin: &'a Admin,
    kind: CoordinatorKind,
    api: ApiKey,
    names: &'n [(usize, &'a String)],
    ask: A,
    answers: Arc<Mutex<BTreeMap<usize, T>>>,
    deadline: Instant,
}

impl<'a, T, A, F> Questions<'a> for NamedQuestions<'_, 'a, T, A>
where
    A: Fn(usize, Coordinated<'a>) -> F + Sync,
    F: Future<Output = Result<T, ClientError>> + Send + 'a,
    T: Send + 'a,
{
    fn find(&self, name: usize) -> LaneStep<'a, i32> {
        let Self {
            admin,
            kind,
            deadline,
            ..
        } = *self;
        let name = self.names[name].1;
        Box::pin(admin.client.look_up_coordinator(kind, name, deadline))
    }

    fn ask(&self, name: usize, node: i32) -> LaneStep<'a, ()> {
        let (place, named) = self.names[name];
        let coordinated = Coordinated {
            name: named,
            by: node,
        };
        let asked = (self.ask)(place, coordinated);
        let answers = Arc::clone(&self.answers);
        Box::pin(async move {
            let answer = asked.await?;
            answers.lock().insert(name, answer);
            Ok(())
        })
    }

    fn retries(&self) -> Retries {
        self.admin.client.retries(self.deadline)
    }

    fn finding(&self, name: usize) -> String {
        finding(self.kind, self.names[name].1)
    }

    fn asking(&self, name: usize) -> String {
        Target::Coordinator(self.kind, self.names[name].1).naming(self.api)
    }

    fn failed(&self) {
        self.admin.client.refresh_metadata();
    }
}
