"""A template, read: resources by type, names without hashes, policies as single permissions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lambdas.settings import Settings

Template = Mapping[str, Any]
Resource = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """One action on one resource that somebody holds."""

    holder: str
    action: str
    resource: str


def resources(template: Template, kind: str) -> dict[str, Resource]:
    found = template["Resources"].items()
    return {name: resource for name, resource in found if resource["Type"] == kind}


def one(template: Template, kind: str) -> Resource:
    (found,) = resources(template, kind).values()
    return found


def functions(template: Template) -> dict[str, Mapping[str, Any]]:
    """The functions' properties by handler."""
    found = resources(template, "AWS::Lambda::Function").values()
    return {each["Properties"]["Handler"]: each["Properties"] for each in found}


def settings_of(properties: Mapping[str, Any]) -> Settings:
    """What a function is told in its environment."""
    variables = properties["Environment"]["Variables"]
    return Settings.from_environment({name: readable(each) for name, each in variables.items()})


def permissions(template: Template) -> Iterator[Permission]:
    """What the template allows to whom. A function's role goes by the function's handler."""
    holders = _holders(template)
    for policy in resources(template, "AWS::IAM::Policy").values():
        for role in policy["Properties"]["Roles"]:
            yield from _allowed(holders[role["Ref"]], policy["Properties"]["PolicyDocument"])


def references(value: Any) -> Iterator[str]:
    """The names that a piece of a template refers to, by whatever means."""
    match value:
        case {"Ref": str(name)}:
            yield name
        case {"Fn::GetAtt": [str(name), *_]}:
            yield name
        case {"Fn::Sub": str(text)}:
            yield from re.findall(r"\$\{(\w+)[.}]", text)
        case Mapping():
            for each in value.values():
                yield from references(each)
        case list():
            for each in value:
                yield from references(each)


def strings(value: Any) -> Iterator[str]:
    """Every string in a piece of a template, names of properties excepted."""
    match value:
        case str():
            yield value
        case Mapping():
            for each in value.values():
                yield from strings(each)
        case list():
            for each in value:
                yield from strings(each)


def readable(value: Any) -> str:
    """A value with "${Name.Arn}" for references; names without the hash that CDK adds."""
    match value:
        case str():
            return value
        case {"Ref": str(name)}:
            return f"${{{_without_hash(name)}}}"
        case {"Fn::GetAtt": [str(name), str(attribute)]}:
            return f"${{{_without_hash(name)}.{attribute}}}"
        case {"Fn::Join": [str(glue), list(parts)]}:
            return glue.join(map(readable, parts))
        case {"Fn::Select": [6, {"Fn::Split": [":", {"Ref": str(name)}]}]}:
            return f"${{{_without_hash(name)}.Name}}"
    raise ValueError(f"A test must be told how to read {json.dumps(value)}")


def _holders(template: Template) -> dict[str, str]:
    holders = {name: _without_hash(name) for name in resources(template, "AWS::IAM::Role")}
    for handler, properties in functions(template).items():
        (role,) = references(properties["Role"])
        holders[role] = handler
    return holders


def _allowed(holder: str, document: Mapping[str, Any]) -> Iterator[Permission]:
    for statement in document["Statement"]:
        for action in _listed(statement["Action"]):
            for resource in _listed(statement["Resource"]):
                yield Permission(holder=holder, action=action, resource=readable(resource))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _without_hash(name: str) -> str:
    return re.sub(r"[0-9A-F]{8}$", "", name)
