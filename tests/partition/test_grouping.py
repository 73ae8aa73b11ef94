"""Facts: typed, left out where there is nothing to say, merged for strata."""

import json
import pickle

import pytest

from microagg.budget import Stop
from microagg.partition.grouping import Facts


def test_facts_become_json_without_what_is_missing():
    facts = Facts(stopped=Stop.TIME_LIMIT, columns=("a", "b"), gap=0.0, more={"own": 1})
    found = {"stopped": "time limit", "columns": ["a", "b"], "gap": 0.0, "own": 1}
    assert facts.as_dict() == json.loads(json.dumps(facts.as_dict())) == found
    assert type(facts.as_dict()["stopped"]) is str
    assert Facts().as_dict() == {}


def test_only_facts_that_apply_are_shown():
    facts = Facts(stopped=Stop.GAP, steps=3, more={"own": 1})
    assert repr(facts) == "Facts(stopped='gap', steps=3, own=1)"


def test_facts_survive_pickling():
    facts = Facts(stopped=Stop.GAP, steps=3, more={"own": 1})
    again = pickle.loads(pickle.dumps(facts))
    assert again == facts
    assert again.stopped is Stop.GAP


@pytest.mark.parametrize(
    ("stopped", "early"), [(None, False), (Stop.GAP, False), (Stop.INTERRUPTED, True)]
)
def test_only_the_user_and_the_clock_end_a_search_early(stopped, early):
    assert Facts(stopped=stopped).ended_early is early


def test_the_facts_of_strata_are_those_that_hold_for_all():
    parts = [
        Facts(stopped=Stop.INTERRUPTED, steps=3, axis="pc1", gap=0.1),
        Facts(stopped=Stop.GAP, steps=4, axis="pc1", time_limit=2.0, remark="read this"),
    ]
    assert Facts.of_parts(parts) == Facts(
        stopped=Stop.INTERRUPTED,
        strata=2,
        axis="pc1",
        time_limit=2.0,
        remark="In 1 of 2 strata: read this",
    )


def test_what_was_proved_of_other_groups_goes():
    facts = Facts(steps=3, loss_start=2.0, loss_end=1.0, lower_bound=1.0, lower_bound_sse=1, gap=0)
    assert facts.without_bound() == Facts(steps=3)
    assert Facts(stopped=Stop.PROVED).without_bound() == Facts()
    assert Facts(stopped=Stop.TIME_LIMIT).without_bound() == Facts(stopped=Stop.TIME_LIMIT)
