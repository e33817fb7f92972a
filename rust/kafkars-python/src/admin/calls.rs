//! The calls of `kafkars.Admin` and `kafkars.aio.Admin`.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kafkars_client::admin::{Admin, HangingTransaction, TransactionFilter};
use kafkars_client::config::IsolationLevel;
use kafkars_client::{Client, CoordinatorKind};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::request::PyAdminRequest;
use super::{answers, arguments};
use crate::aio::PyLoopBridge;
use crate::brokers;
use crate::client_handle::PyClientHandle;
use crate::config::AdminSettings;
use crate::lent::LentObjects;
use crate::pending_flag::PyPendingFlag;
use crate::runtime::{self, ForkGuard};
use crate::unclosed::UnclosedWarning;
use crate::{error, metrics, types};

/// An administrator of one cluster.
#[pyclass(name = "Admin", module = "kafkars._kafkars", frozen)]
pub(crate) struct PyAdmin {
    admin: Arc<Admin>,
    lent: LentObjects,
    fork_guard: ForkGuard,
    default_timeout: Duration,
    closed: AtomicBool,
    unclosed: UnclosedWarning,
}

#[pymethods]
impl PyAdmin {
    #[new]
    fn new(py: Python<'_>, config: AdminSettings) -> PyResult<Self> {
        PyLoopBridge::end_closed(py)?;
        let mut lent = LentObjects::default();
        let (client, default_timeout) = config.checked(&mut lent)?;
        let handle = runtime::handle()?;
        let _inside = handle.enter();
        Ok(Self {
            admin: Arc::new(Admin::new(Client::new(client, handle.clone()))),
            lent,
            fork_guard: ForkGuard::here(),
            default_timeout,
            closed: AtomicBool::new(false),
            unclosed: UnclosedWarning::default(),
        })
    }

    /// True if `close()` was called.
    #[getter]
    fn closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Counters of its connections.
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.fork_guard.check()?;
        metrics::admin(py, &self.admin.client().metrics())
    }

    /// Warns if `client`, whose native part this is, was not closed; `__del__` calls it.
    fn _warn_if_unclosed(&self, client: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.closed() || self.fork_guard.is_elsewhere() {
            return Ok(());
        }
        let name = self.admin.client().name();
        let message = "an administrator was not closed";
        self.unclosed.tell(client, name, message)
    }

    /// Turns the warning about unclosed clients off, for faces.
    fn _never_warn(&self) {
        self.unclosed.turn_off();
    }

    /// The status of each broker: node id or None, address, why it cannot be connected to or None, the number of that
    /// failure or None, counters.
    fn _brokers<'py>(&self, py: Python<'py>) -> PyResult<Vec<brokers::BrokerStatusFields<'py>>> {
        self.fork_guard.check()?;
        brokers::statuses(py, self.admin.client())
    }

    /// The lowest and the highest version of each API of the first broker that was connected to, by the API's number.
    fn _api_versions(&self) -> BTreeMap<i16, (i16, i16)> {
        brokers::api_versions(self.admin.client())
    }

    /// What log lines call the client: their field `client`.
    fn _client_name(&self) -> String {
        self.admin.client().name().to_string()
    }

    /// What tells of the cluster's metadata.
    fn _handle(&self) -> PyResult<PyClientHandle> {
        self.fork_guard.check()?;
        Ok(PyClientHandle::of(self.admin.client()))
    }

    /// Sets the flag whenever `_brokers()` has changed. Begins to look for the cluster.
    fn _watch_brokers(&self, flag: &PyPendingFlag) -> PyResult<()> {
        self.fork_guard.check()?;
        brokers::watch(self.admin.client(), flag.handle())
    }

    fn create_topics(
        &self,
        topics: Vec<arguments::TopicArgument>,
        validate_only: bool,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let topics = topics.into_iter().map(arguments::topic).collect();
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin.create_topics(topics, validate_only, deadline).await
            },
            |py, answer| answers::outcomes(py, answer, answers::name, answers::created),
        )
    }

    fn delete_topics(&self, names: Vec<String>, timeout: Option<f64>) -> PyResult<PyAdminRequest> {
        self.request(
            timeout,
            move |admin, deadline| async move { admin.delete_topics(names, deadline).await },
            |py, answer| answers::outcomes(py, answer, answers::name, answers::nothing),
        )
    }

    fn create_partitions(
        &self,
        topics: Vec<arguments::Growth>,
        validate_only: bool,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let topics = topics.into_iter().map(arguments::growth).collect();
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin
                    .create_partitions(topics, validate_only, deadline)
                    .await
            },
            |py, answer| answers::outcomes(py, answer, answers::name, answers::nothing),
        )
    }

    fn describe_topics(
        &self,
        names: Option<Vec<String>>,
        authorized: bool,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin.describe_topics(names, authorized, deadline).await
            },
            |py, answer| answers::outcomes(py, answer, answers::name, answers::described_topic),
        )
    }

    fn describe_configs(
        &self,
        resources: Vec<arguments::Resource>,
        include_synonyms: bool,
        include_documentation: bool,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let resources: PyResult<Vec<_>> = resources.into_iter().map(arguments::resource).collect();
        let resources = resources?;
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin
                    .describe_configs(resources, include_synonyms, include_documentation, deadline)
                    .await
            },
            |py, answer| answers::outcomes(py, answer, answers::resource, answers::entries),
        )
    }

    fn alter_configs(
        &self,
        changes: Vec<arguments::ConfigChangeArgument>,
        validate_only: bool,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let changes: PyResult<Vec<_>> = changes.into_iter().map(arguments::change).collect();
        let changes = changes?;
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin.alter_configs(changes, validate_only, deadline).await
            },
            |py, answer| answers::outcomes(py, answer, answers::resource, answers::nothing),
        )
    }

    fn list_groups(
        &self,
        states: Vec<String>,
        types: Vec<String>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        self.request(
            timeout,
            move |admin, deadline| async move { admin.list_groups(states, types, deadline).await },
            answers::listed,
        )
    }

    /// The groups of each broker, or why it does not tell them.
    fn groups_by_broker(
        &self,
        states: Vec<String>,
        types: Vec<String>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin.groups_by_broker(states, types, deadline).await
            },
            |py, answer| answers::outcomes(py, answer, answers::broker, answers::listings),
        )
    }

    /// The groups that some brokers coordinate, of which no others are asked.
    fn groups_of(
        &self,
        brokers: Vec<i32>,
        states: Vec<String>,
        types: Vec<String>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin.groups_of(brokers, states, types, deadline).await
            },
            answers::listed,
        )
    }

    fn describe_groups(
        &self,
        groups: Vec<String>,
        authorized: bool,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin.describe_groups(groups, authorized, deadline).await
            },
            |py, answer| answers::outcomes(py, answer, answers::name, answers::described_group),
        )
    }

    /// What DescribeGroups answers in a version below `end`, as it is.
    fn classic_answers(
        &self,
        groups: Vec<String>,
        end: i16,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        self.request(
            timeout,
            move |admin, deadline| async move { admin.classic_answers(groups, end, deadline).await },
            |py, answer| answers::outcomes(py, answer, answers::name, answers::classic_group),
        )
    }

    fn delete_groups(&self, groups: Vec<String>, timeout: Option<f64>) -> PyResult<PyAdminRequest> {
        self.request(
            timeout,
            move |admin, deadline| async move { admin.delete_groups(groups, deadline).await },
            |py, answer| answers::outcomes(py, answer, answers::name, answers::nothing),
        )
    }

    fn list_group_offsets(
        &self,
        groups: Vec<(String, Option<Vec<arguments::PartitionArgument>>)>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let groups = groups.into_iter().map(arguments::group_partitions);
        let groups = groups.collect();
        self.request(
            timeout,
            move |admin, deadline| async move { admin.list_group_offsets(groups, deadline).await },
            |py, answer| answers::outcomes(py, answer, answers::name, answers::committed),
        )
    }

    fn alter_group_offsets(
        &self,
        group: String,
        offsets: Vec<arguments::OffsetArgument>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let offsets = offsets.into_iter().map(arguments::commit).collect();
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin.alter_group_offsets(group, offsets, deadline).await
            },
            |py, answer| answers::outcomes(py, answer, answers::partition, answers::nothing),
        )
    }

    fn delete_group_offsets(
        &self,
        group: String,
        partitions: Vec<arguments::PartitionArgument>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let partitions = partitions.into_iter().map(arguments::partition).collect();
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin
                    .delete_group_offsets(group, partitions, deadline)
                    .await
            },
            |py, answer| answers::outcomes(py, answer, answers::partition, answers::nothing),
        )
    }

    fn delete_records(
        &self,
        before: Vec<(arguments::PartitionArgument, i64)>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let before = before.into_iter();
        let before = before.map(|(of, offset)| (arguments::partition(of), offset));
        let before = before.collect();
        self.request(
            timeout,
            move |admin, deadline| async move { admin.delete_records(before, deadline).await },
            |py, answer| answers::outcomes(py, answer, answers::partition, answers::offset),
        )
    }

    fn list_offsets(
        &self,
        wanted: Vec<(arguments::PartitionArgument, Bound<'_, PyAny>)>,
        committed_only: bool,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let wanted: PyResult<Vec<_>> = wanted.into_iter().map(arguments::offset_spec).collect();
        let wanted = wanted?;
        let isolation = if committed_only {
            IsolationLevel::ReadCommitted
        } else {
            IsolationLevel::ReadUncommitted
        };
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin.list_offsets(wanted, isolation, deadline).await
            },
            |py, answer| answers::outcomes(py, answer, answers::partition, answers::listed_offset),
        )
    }

    fn describe_cluster(&self, authorized: bool, timeout: Option<f64>) -> PyResult<PyAdminRequest> {
        self.request(
            timeout,
            move |admin, deadline| async move { admin.describe_cluster(authorized, deadline).await },
            answers::cluster,
        )
    }

    fn find_coordinator(
        &self,
        key: String,
        of_transactions: bool,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let kind = if of_transactions {
            CoordinatorKind::Transaction
        } else {
            CoordinatorKind::Group
        };
        self.request(
            timeout,
            move |admin, deadline| async move { admin.find_coordinator(kind, key, deadline).await },
            answers::node,
        )
    }

    fn describe_acls(
        &self,
        of: arguments::AclFilterArgument,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let filter = arguments::acl_filter(of);
        self.request(
            timeout,
            move |admin, deadline| async move { admin.describe_acls(filter, deadline).await },
            answers::acls,
        )
    }

    fn create_acls(
        &self,
        acls: Vec<arguments::AclArgument>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let acls = acls.into_iter().map(arguments::acl).collect();
        self.request(
            timeout,
            move |admin, deadline| async move { admin.create_acls(acls, deadline).await },
            |py, answer| answers::in_places(py, answer, answers::nothing),
        )
    }

    fn delete_acls(
        &self,
        filters: Vec<arguments::AclFilterArgument>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let filters = filters.into_iter().map(arguments::acl_filter).collect();
        self.request(
            timeout,
            move |admin, deadline| async move { admin.delete_acls(filters, deadline).await },
            |py, answer| answers::in_places(py, answer, answers::deleted_acls),
        )
    }

    fn describe_user_scram_credentials(
        &self,
        users: Option<Vec<String>>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin.describe_user_scram_credentials(users, deadline).await
            },
            |py, answer| answers::outcomes(py, answer, answers::name, answers::credentials),
        )
    }

    fn alter_user_scram_credentials(
        &self,
        alterations: Vec<arguments::ScramAlterationArgument>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let alterations = alterations.into_iter().map(arguments::alteration);
        let alterations: Vec<_> = alterations.collect::<PyResult<_>>()?;
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin
                    .alter_user_scram_credentials(alterations, deadline)
                    .await
            },
            |py, answer| answers::outcomes(py, answer, answers::name, answers::nothing),
        )
    }

    fn elect_leaders(
        &self,
        election: i8,
        partitions: Option<Vec<arguments::PartitionArgument>>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let election = arguments::election(election)?;
        let partitions = partitions.map(arguments::partitions);
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin.elect_leaders(election, partitions, deadline).await
            },
            |py, answer| answers::outcomes(py, answer, answers::partition, answers::nothing),
        )
    }

    fn alter_partition_reassignments(
        &self,
        wanted: Vec<(arguments::PartitionArgument, Option<Vec<i32>>)>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let wanted = wanted.into_iter();
        let wanted = wanted.map(|(of, replicas)| (arguments::partition(of), replicas));
        let wanted = wanted.collect();
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin.alter_partition_reassignments(wanted, deadline).await
            },
            |py, answer| answers::outcomes(py, answer, answers::partition, answers::nothing),
        )
    }

    fn list_partition_reassignments(
        &self,
        partitions: Option<Vec<arguments::PartitionArgument>>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let partitions = partitions.map(arguments::partitions);
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin
                    .list_partition_reassignments(partitions, deadline)
                    .await
            },
            answers::reassignments,
        )
    }

    fn describe_log_dirs(
        &self,
        brokers: Option<Vec<i32>>,
        partitions: Option<Vec<arguments::PartitionArgument>>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let partitions = partitions.map(arguments::partitions);
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin.describe_log_dirs(brokers, partitions, deadline).await
            },
            |py, answer| answers::outcomes(py, answer, answers::broker, answers::log_dirs),
        )
    }

    fn list_transactions(
        &self,
        states: Vec<String>,
        producer_ids: Vec<i64>,
        open_longer_than_ms: Option<i64>,
        pattern: Option<String>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let filter = TransactionFilter {
            states,
            producer_ids,
            open_longer_than_ms,
            pattern,
        };
        self.request(
            timeout,
            move |admin, deadline| async move { admin.list_transactions(filter, deadline).await },
            answers::transactions,
        )
    }

    fn describe_transactions(
        &self,
        transactional_ids: Vec<String>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin
                    .describe_transactions(transactional_ids, deadline)
                    .await
            },
            |py, answer| answers::outcomes(py, answer, answers::name, answers::transaction),
        )
    }

    fn describe_producers(
        &self,
        partitions: Vec<arguments::PartitionArgument>,
        broker: Option<i32>,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let partitions = arguments::partitions(partitions);
        self.request(
            timeout,
            move |admin, deadline| async move {
                admin.describe_producers(partitions, broker, deadline).await
            },
            |py, answer| answers::outcomes(py, answer, answers::partition, answers::producers),
        )
    }

    fn abort_transaction(
        &self,
        of: arguments::PartitionArgument,
        producer_id: i64,
        producer_epoch: i16,
        coordinator_epoch: i32,
        timeout: Option<f64>,
    ) -> PyResult<PyAdminRequest> {
        let hanging = HangingTransaction {
            of: arguments::partition(of),
            producer_id,
            producer_epoch,
            coordinator_epoch,
        };
        self.request(
            timeout,
            move |admin, deadline| async move { admin.abort_transaction(hanging, deadline).await },
            answers::done,
        )
    }

    /// Ends every connection, within `close_timeout_ms` where no time is given. Calls that wait end with `ClosedError`.
    fn close(&self, timeout: Option<f64>) -> PyResult<PyAdminRequest> {
        let client = self.admin.client();
        let timeout = types::timeout(timeout)?.unwrap_or(client.config().close_timeout);
        let was_closed = self.closed.swap(true, Ordering::AcqRel);
        let admin = Arc::clone(&self.admin);
        let elsewhere = self.fork_guard.is_elsewhere();
        let close = async move {
            if !was_closed && !elsewhere {
                // Connections that close later do so by themselves.
                drop(tokio::time::timeout(timeout, admin.client().close()).await);
            }
        };
        Ok(PyAdminRequest::new(close, answers::nothing).carried_out())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.lent.traverse(&visit)
    }
}

impl PyAdmin {
    fn request<T, F>(
        &self,
        timeout: Option<f64>,
        ask: impl FnOnce(Arc<Admin>, Instant) -> F + Send + 'static,
        answer: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> PyResult<PyAdminRequest>
    where
        F: Future<Output = T> + Send + 'static,
        T: Send + 'static,
    {
        self.fork_guard.check()?;
        if self.closed() {
            return Err(error::closed("admin client"));
        }
        let timeout = types::timeout(timeout)?.unwrap_or(self.default_timeout);
        let admin = Arc::clone(&self.admin);
        // The time limit starts when the request is awaited, not when it is made.
        let question = async move { ask(admin, Instant::now() + timeout).await };
        Ok(PyAdminRequest::new(question, answer))
    }
}
