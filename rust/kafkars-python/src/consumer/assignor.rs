//! Assignors written in Python, as the group's leader runs them.

use std::collections::BTreeMap;
use std::sync::Arc;

use kafkars_client::group::assignor::{self, Assignment, Assignor, GroupView, MemberAssignment};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyTuple};

use crate::error;
use crate::types;

/// An object of Python with `name` and `assign()`.
struct PyAssignor {
    name: String,
    object: Py<PyAny>,
}

impl std::fmt::Debug for PyAssignor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PyAssignor")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Assignors of a setting: names of built-in ones, and objects.
pub(crate) fn assignors(
    py: Python<'_>,
    strategy: &[Py<PyAny>],
) -> PyResult<Vec<Arc<dyn Assignor>>> {
    let each = strategy.iter().map(|given| {
        let given = given.bind(py);
        if let Ok(name) = given.cast::<PyString>() {
            let name = name.to_str()?;
            return assignor::by_name(name).ok_or_else(|| {
                error::config(format!(
                    "partition_assignment_strategy: {name:?} is not known"
                ))
            });
        }
        let assignor: Arc<dyn Assignor> = Arc::new(PyAssignor {
            name: given.getattr(intern!(py, "name"))?.extract()?,
            object: given.clone().unbind(),
        });
        Ok(assignor)
    });
    each.collect()
}

impl Assignor for PyAssignor {
    fn name(&self) -> &str {
        &self.name
    }

    fn assign(&self, group: &GroupView) -> Result<Assignment, Arc<str>> {
        let outcome = Python::try_attach(|py| {
            self.ask(py, group)
                .map_err(|error| Arc::from(error.to_string()))
        });
        outcome.unwrap_or_else(|| Err("the interpreter is shutting down".into()))
    }
}

impl PyAssignor {
    fn ask(&self, py: Python<'_>, group: &GroupView) -> PyResult<Assignment> {
        let partitions = PyDict::new(py);
        for (topic, view) in &group.topics {
            partitions.set_item(&**topic, view.partitions.len())?;
        }
        let members = PyList::empty(py);
        for (id, member) in &group.members {
            let owned = member.owned.iter();
            let owned = owned.map(|partition| types::topic_partition(py, partition));
            let owned = PyTuple::new(py, owned.collect::<PyResult<Vec<_>>>()?)?;
            let topics = PyTuple::new(py, member.topics.iter().map(|topic| &**topic))?;
            members.append(types::group_member(
                py,
                (
                    &**id,
                    member.instance.as_deref(),
                    topics,
                    owned,
                    member.rack.as_deref(),
                ),
            )?)?;
        }
        let answer = self
            .object
            .bind(py)
            .call_method1(intern!(py, "assign"), (partitions, members))?;
        let mut assignment: Assignment = group
            .members
            .keys()
            .map(|id| (Arc::clone(id), MemberAssignment::default()))
            .collect::<BTreeMap<_, _>>();
        let Ok(answer) = answer.cast::<PyMapping>() else {
            return Err(error::argument(format!(
                "assign() must return a mapping of member ids to partitions, not {}",
                answer.repr()?
            )));
        };
        for item in answer.items()? {
            let (id, given) = item.extract::<(String, Bound<'_, PyAny>)>()?;
            let Some(member) = assignment.get_mut(id.as_str()) else {
                return Err(error::argument(format!(
                    "assign() returned partitions for {id:?}, which is no member"
                )));
            };
            member.partitions = types::partitions_from(&given)?;
        }
        Ok(assignment)
    }
}
