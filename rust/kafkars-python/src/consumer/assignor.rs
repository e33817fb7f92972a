//! Assignors written in Python, as the group's leader runs them.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use kafkars_client::group::assignor::{
    self, Assignment, Assignor, GroupView, LastAssignment, MemberAssignment,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMapping, PyString, PyTuple};

use crate::error;
use crate::lent::{Lent, LentObjects};
use crate::types;

/// A Python object with `name` and `assign()`.
struct PyAssignor {
    name: String,
    object: Lent,
}

impl std::fmt::Debug for PyAssignor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PyAssignor")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The assignors of the setting: built-in ones by name, and objects, which are lent to the engine.
pub(crate) fn assignors(
    py: Python<'_>,
    strategy: &[Py<PyAny>],
    lent: &mut LentObjects,
) -> PyResult<Vec<Arc<dyn Assignor>>> {
    let each = strategy.iter().map(|given| {
        let given = given.bind(py);
        if let Ok(name) = given.cast::<PyString>() {
            let name = name.to_str()?;
            return assignor::by_name(name).ok_or_else(|| {
                error::setting(
                    "partition_assignment_strategy",
                    format_args!("{name:?} is not known"),
                )
            });
        }
        let assignor: Arc<dyn Assignor> = Arc::new(PyAssignor {
            name: given.getattr(intern!(py, "name"))?.extract()?,
            object: lent.lend(given),
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

    fn user_data(&self, last: &LastAssignment) -> Option<Bytes> {
        let told = Python::try_attach(|py| {
            let asked = self.tell(py, intern!(py, "user_data"), last, |method, partitions| {
                method.call1((partitions, last.generation))
            });
            let told = asked.and_then(|told| match told {
                Some(told) => told.extract::<Option<Vec<u8>>>(),
                None => Ok(None),
            });
            told.unwrap_or_else(|error| {
                error.write_unraisable(py, Some(&self.object.take(py)));
                None
            })
        });
        told.flatten().map(Bytes::from)
    }

    fn on_assignment(&self, last: &LastAssignment, user_data: Option<&Bytes>) {
        Python::try_attach(|py| {
            let user_data = user_data.map(|data| PyBytes::new(py, data));
            let told = self.tell(
                py,
                intern!(py, "on_assignment"),
                last,
                |method, partitions| method.call1((partitions, user_data)),
            );
            if let Err(error) = told {
                error.write_unraisable(py, Some(&self.object.take(py)));
            }
        });
    }
}

impl PyAssignor {
    /// Calls an optional method of the assignor with the member's last assignment.
    fn tell<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, PyString>,
        last: &LastAssignment,
        call: impl FnOnce(Bound<'py, PyAny>, Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(method) = self.object.take(py).getattr_opt(name)? else {
            return Ok(None);
        };
        let partitions = last.partitions.iter();
        let partitions = partitions.map(|partition| types::topic_partition(py, partition));
        let partitions = PyTuple::new(py, partitions.collect::<PyResult<Vec<_>>>()?)?;
        call(method, partitions).map(Some)
    }

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
                    member.user_data.as_ref().map(|data| PyBytes::new(py, data)),
                ),
            )?)?;
        }
        let answer = self
            .object
            .take(py)
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
            // A `MemberAssignment`, or partitions alone.
            let user_data = given.getattr_opt(intern!(py, "user_data"))?;
            member.partitions = match user_data {
                None => types::partitions_from(&given)?,
                Some(user_data) => {
                    member.user_data = user_data.extract::<Option<Vec<u8>>>()?.map(Bytes::from);
                    types::partitions_from(&given.getattr(intern!(py, "partitions"))?)?
                }
            };
        }
        Ok(assignment)
    }
}
