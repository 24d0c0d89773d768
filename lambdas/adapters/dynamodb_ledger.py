"""The ledger on DynamoDB, of its three parts. What each writes stands in a module beside it."""

from __future__ import annotations

from lambdas.adapters.ledger_effects import LedgerEffects
from lambdas.adapters.ledger_tasks import LedgerTasks
from lambdas.adapters.ledger_units import LedgerUnits


class DynamoDbLedger(LedgerTasks, LedgerUnits, LedgerEffects):
    """See the port for the promises."""
