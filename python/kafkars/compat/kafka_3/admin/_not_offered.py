"""Calls of kafka-python 3's administrator that the engine's cannot do yet: each says so, by name, with what to use
instead.
"""

from __future__ import annotations

from typing import Any, NoReturn

from kafkars.compat.kafka.admin._not_offered import not_offered


class NotOffered:
    """Each of these raises `IncompatibleBrokerVersion`, which is a `NotImplementedError`, too."""

    def abort_transaction(self, spec: Any) -> NoReturn:
        """Not offered."""
        del spec
        raise not_offered("abort_transaction")

    def alter_partition_reassignments(self, reassignments: Any, timeout_ms: Any = None) -> NoReturn:
        """Not offered."""
        del reassignments, timeout_ms
        raise not_offered("alter_partition_reassignments")

    def alter_replica_log_dirs(self, replica_assignments: Any) -> NoReturn:
        """Not offered."""
        del replica_assignments
        raise not_offered("alter_replica_log_dirs")

    def alter_user_scram_credentials(self, alterations: Any) -> NoReturn:
        """Not offered."""
        del alterations
        raise not_offered("alter_user_scram_credentials")

    def api_versions(self) -> NoReturn:
        """Not offered."""
        raise not_offered("api_versions")

    def create_acls(self, acls: Any) -> NoReturn:
        """Not offered."""
        del acls
        raise not_offered("create_acls")

    def delete_acls(self, acl_filters: Any) -> NoReturn:
        """Not offered."""
        del acl_filters
        raise not_offered("delete_acls")

    def describe_acls(self, acl_filter: Any) -> NoReturn:
        """Not offered."""
        del acl_filter
        raise not_offered("describe_acls")

    def describe_features(self, send_request_to_controller: Any = False) -> NoReturn:
        """Not offered."""
        del send_request_to_controller
        raise not_offered("describe_features")

    def describe_log_dirs(self, topic_partitions: Any = None, brokers: Any = None) -> NoReturn:
        """Not offered."""
        del topic_partitions, brokers
        raise not_offered("describe_log_dirs")

    def describe_metadata_quorum(self) -> NoReturn:
        """Not offered."""
        raise not_offered("describe_metadata_quorum")

    def describe_producers(self, partitions: Any, broker_id: Any = None) -> NoReturn:
        """Not offered."""
        del partitions, broker_id
        raise not_offered("describe_producers")

    def describe_transactions(self, transactional_ids: Any) -> NoReturn:
        """Not offered."""
        del transactional_ids
        raise not_offered("describe_transactions")

    def describe_user_scram_credentials(self, users: Any = None) -> NoReturn:
        """Not offered."""
        del users
        raise not_offered("describe_user_scram_credentials")

    def elect_leaders(
        self, election_type: Any, topic_partitions: Any = None, timeout_ms: Any = None, raise_errors: Any = True
    ) -> NoReturn:
        """Not offered."""
        del election_type, topic_partitions, timeout_ms, raise_errors
        raise not_offered("elect_leaders")

    def find_hanging_transactions(self, broker_ids: Any = None, max_transaction_timeout_ms: Any = 900000) -> NoReturn:
        """Not offered."""
        del broker_ids, max_transaction_timeout_ms
        raise not_offered("find_hanging_transactions")

    def get_broker_version_data(self, broker_id: Any) -> NoReturn:
        """Not offered."""
        del broker_id
        raise not_offered("get_broker_version_data")

    def list_config_resources(self, resource_types: Any = None) -> NoReturn:
        """Not offered."""
        del resource_types
        raise not_offered("list_config_resources")

    def list_partition_reassignments(self, topic_partitions: Any = None, timeout_ms: Any = None) -> NoReturn:
        """Not offered."""
        del topic_partitions, timeout_ms
        raise not_offered("list_partition_reassignments")

    def list_transactions(
        self,
        broker_ids: Any = None,
        producer_id_filters: Any = None,
        state_filters: Any = None,
        duration_filter_ms: Any = None,
        transactional_id_pattern: Any = None,
    ) -> NoReturn:
        """Not offered."""
        del broker_ids, producer_id_filters, state_filters, duration_filter_ms, transactional_id_pattern
        raise not_offered("list_transactions")

    def remove_group_members(self, group_id: Any, members: Any, group_coordinator_id: Any = None) -> NoReturn:
        """Not offered."""
        del group_id, members, group_coordinator_id
        raise not_offered("remove_group_members")

    def update_features(self, feature_updates: Any, validate_only: Any = False, timeout_ms: Any = 60000) -> NoReturn:
        """Not offered."""
        del feature_updates, validate_only, timeout_ms
        raise not_offered("update_features")
