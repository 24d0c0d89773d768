"""`docs/story.md` shows the state machine as it is deployed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stacks import diagram as command
from stacks.diagram import STORY, synthesized
from statemachines.definition import Definition, State, definition_in
from statemachines.diagram import diagram, page
from statemachines.state_table import state_table

ANY_MACHINE: Definition = {
    "StartAt": "LOOK",
    "States": {
        "LOOK": {
            "Type": "Task",
            "Resource": "any",
            "TimeoutSeconds": 30,
            "Parameters": {"step": "LOOK", "args": {"url.$": "$.url", "fixed": "any"}},
            "ResultPath": None,
            "Retry": [
                {"ErrorEquals": ["Busy"], "IntervalSeconds": 5, "BackoffRate": 1, "MaxAttempts": 3}
            ],
            "Catch": [
                {"ErrorEquals": ["Missing"], "Next": "DONE"},
                {"ErrorEquals": ["States.ALL"], "Next": "LOST"},
            ],
            "Next": "SEEN?",
        },
        "SEEN?": {
            "Type": "Choice",
            "Choices": [
                {
                    "And": [
                        {"Variable": "$.look.seen", "IsPresent": True},
                        {"Variable": "$.look.seen", "NumericGreaterThan": 2},
                    ],
                    "Next": "EACH",
                },
                {"Variable": "$.look.seen", "IsPresent": True, "Next": "LOOK"},
            ],
            "Default": "DONE",
        },
        "EACH": {
            "Type": "Map",
            "MaxConcurrency": 7,
            "ItemProcessor": {
                "StartAt": "KEEP",
                "States": {"KEEP": {"Type": "Pass", "End": True}},
            },
            "Next": "DONE",
        },
        "DONE": {"Type": "Succeed"},
        "LOST": {"Type": "Fail"},
    },
}


@pytest.mark.promise("R25")
def test_the_page_shows_the_machines_that_are_deployed(
    definition: Definition, telling: Definition
) -> None:
    assert STORY.read_text() == page(definition, telling), "run `make diagram`"


def test_the_page_is_drawn_from_the_machines_alone_as_from_the_whole_app(
    definition: Definition, telling: Definition
) -> None:
    assert page(*synthesized()) == page(definition, telling)


@pytest.mark.promise("R25")
def test_the_diagram_names_every_state_as_the_console_does(
    definition: Definition, telling: Definition, states: dict[str, State]
) -> None:
    drawn = set(re.findall(r'"[^"]+"|\w+', diagram(definition) + diagram(telling)))

    assert len(states) >= 20
    assert states.keys() <= {name.strip('"') for name in drawn}


def test_the_table_has_a_row_for_every_state_that_works(
    definition: Definition, telling: Definition, tasks: dict[str, State]
) -> None:
    lines = [*state_table(definition).splitlines(), *state_table(telling).splitlines()]
    rows = [line.split(" | ")[0] for line in lines]

    assert {row.removeprefix("| ") for row in rows if row.startswith("| ")} >= tasks.keys()


def test_an_arrow_says_when_it_is_taken() -> None:
    arrows = {line.strip() for line in diagram(ANY_MACHINE).splitlines() if "-->" in line}

    assert arrows == {
        "[*] --> LOOK",
        "LOOK --> SEEN_63_",
        "LOOK --> DONE: Missing",
        "LOOK --> LOST: any other error",
        "SEEN_63_ --> EACH: seen > 2",
        "SEEN_63_ --> LOOK: there is seen",
        "SEEN_63_ --> DONE: otherwise",
        "[*] --> KEEP",
        "KEEP --> [*]",
        "EACH --> DONE",
        "DONE --> [*]",
    }


def test_a_map_is_a_box_around_its_states() -> None:
    lines = [line.strip() for line in diagram(ANY_MACHINE).splitlines()]

    box = lines.index("state EACH {")
    assert lines[box : box + 4] == ["state EACH {", "[*] --> KEEP", "KEEP --> [*]", "}"]


def test_choices_and_what_failures_lead_to_have_a_look_of_their_own() -> None:
    looks = {line.strip() for line in diagram(ANY_MACHINE).splitlines() if " class " in line}

    assert looks == {"class SEEN_63_ asks", "class DONE caught", "class LOST fails"}


def test_a_row_tells_timeout_retries_failures_and_data() -> None:
    table = state_table(ANY_MACHINE).splitlines()

    assert table[2].split(" | ") == [
        "| LOOK",
        "30 s",
        "a × 3",  # noqa: RUF001 a times sign
        "DONE (Missing)<br>LOST (any other error)",
        "`args.url` from `$.url`",
        "not kept |",
    ]
    assert table[-1] == "* **a**: every 5 s, on `Busy`"


def test_a_condition_without_words_is_refused_by_its_name() -> None:
    rule = {"Not": {"Variable": "$.any", "IsNull": True}, "Next": "ASK?"}
    machine = {
        "StartAt": "ASK?",
        "States": {"ASK?": {"Type": "Choice", "Choices": [rule], "Default": "ASK?"}},
    }

    with pytest.raises(ValueError, match="no words for the condition Not"):
        diagram(machine)


def test_a_definition_that_cannot_be_read_back_is_refused_with_the_part_that_is_new() -> None:
    body = {"Fn::Join": ["", ['{"StartAt": "', {"Fn::ImportValue": "any"}, '"}']]}
    machine = {
        "Type": "AWS::StepFunctions::StateMachine",
        "Properties": {"DefinitionString": body},
    }

    with pytest.raises(ValueError, match="Fn::ImportValue"):
        definition_in({"Resources": {"MachineResearchAny": machine}})


def test_the_check_fails_with_a_sentence_when_the_page_is_out_of_date(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story = tmp_path / "story.md"

    assert command.main(["--check"], story=story) == 1
    assert "run `make diagram`" in capsys.readouterr().err

    assert command.main([], story=story) == 0
    assert command.main(["--check"], story=story) == 0
    assert capsys.readouterr().err == ""

    story.write_text(story.read_text().replace("PUBLISH", "PRINT"))
    assert command.main(["--check"], story=story) == 1
