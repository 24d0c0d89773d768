"""Who may find what bears on the questions: ranking alone, or one of the deployment's models."""

from __future__ import annotations

from enum import StrEnum

from lambdas.agent.asking import PROMPT
from lambdas.agent.errors import InvalidRequest, SourceRefused
from lambdas.agent.model_ports import Jobs
from lambdas.agent.ports import Ports


class Named(StrEnum):
    """As a request may name it in `analyst`."""

    EXTRACTIVE = "extractive"
    BEDROCK = "bedrock"
    OPENAI = "openai"


def model_of(named: str, ports: Ports) -> Jobs | None:
    """The model to ask; None where sources are ranked without one.

    Without a name it is the deployment's own: Bedrock where it names a model there, else its
    OpenAI-compatible one, else none.
    """
    model = model_there(named, ports)
    if model is None and named in _MODELS:
        raise SourceRefused(_absent(named, ports), code="ANALYST_ABSENT")
    return model


def name_of(model: Jobs | None) -> str:
    """Whose findings these are: who is asked the same about the same text, and as it is now."""
    return f"{model.name} {PROMPT}"[:200] if model else Named.EXTRACTIVE.value


def model_there(named: str, ports: Ports) -> Jobs | None:
    """The same; None too where the deployment has lost the one that is named."""
    if named == Named.EXTRACTIVE:
        return None
    return _named(named, ports) if named else ports.bedrock or ports.model


def check_analyst(named: str, ports: Ports) -> None:
    """InvalidRequest for one that this deployment does not have."""
    if named in {"", Named.EXTRACTIVE} or _named(named, ports) is not None:
        return
    fault = _absent(named, ports)
    raise InvalidRequest(
        f"The request has 1 fault, and nothing was started:\n- analyst: {fault}",
        faults=(("analyst", fault),),
    )


def _named(named: str, ports: Ports) -> Jobs | None:
    return ports.bedrock if named == Named.BEDROCK else ports.model


def _absent(named: str, ports: Ports) -> str:
    has = [Named.EXTRACTIVE, *(each for each in _MODELS if _named(each, ports) is not None)]
    return (
        f"this deployment has no {named!r}: name one of {', '.join(has)}, leave it out, or deploy "
        f"with `{_MODELS[Named(named)]}` set"
    )


_MODELS = {Named.BEDROCK: "bedrock_model", Named.OPENAI: "model_url"}
