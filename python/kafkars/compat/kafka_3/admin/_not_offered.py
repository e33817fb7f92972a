"""Calls of kafka-python 3's administration that the engine does not have: each error names the call and what to use
instead.
"""

from __future__ import annotations

from typing import Any, NoReturn

from kafkars.compat.kafka.admin._not_offered import not_offered


class NotOffered:
    """Every method raises `IncompatibleBrokerVersion`, which is also a `NotImplementedError`."""

    def alter_replica_log_dirs(self, replica_assignments: Any) -> NoReturn:
        """Not offered."""
        del replica_assignments
        raise not_offered("alter_replica_log_dirs")

    def api_versions(self) -> NoReturn:
        """Not offered."""
        raise not_offered("api_versions")

    def describe_features(self, send_request_to_controller: Any = False) -> NoReturn:
        """Not offered."""
        del send_request_to_controller
        raise not_offered("describe_features")

    def describe_metadata_quorum(self) -> NoReturn:
        """Not offered."""
        raise not_offered("describe_metadata_quorum")

    def get_broker_version_data(self, broker_id: Any) -> NoReturn:
        """Not offered."""
        del broker_id
        raise not_offered("get_broker_version_data")

    def list_config_resources(self, resource_types: Any = None) -> NoReturn:
        """Not offered."""
        del resource_types
        raise not_offered("list_config_resources")

    def remove_group_members(self, group_id: Any, members: Any, group_coordinator_id: Any = None) -> NoReturn:
        """Not offered."""
        del group_id, members, group_coordinator_id
        raise not_offered("remove_group_members")

    def update_features(self, feature_updates: Any, validate_only: Any = False, timeout_ms: Any = 60000) -> NoReturn:
        """Not offered."""
        del feature_updates, validate_only, timeout_ms
        raise not_offered("update_features")
