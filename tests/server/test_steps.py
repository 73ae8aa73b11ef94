"""Data, roles and protection: what the pages show, take and refuse."""

import pytest

from microagg.declare import options_of
from microagg.schema import SCHEMA_OPTIONS
from microagg.server import form
from microagg.settings import Settings
from tests.server.pages import HOSTILE, HOSTILE_NAMES, ROLES


def test_the_data_page_shows_columns_and_how_the_file_was_read(visitor):
    page = visitor.get(f"{visitor.upload('a;b' + chr(10) + '1,5;x' + chr(10) + '2,5;y')}/data")
    assert "semicolon ;" in page
    assert "utf-8" in page
    assert page.count('class="spark"') == 0 or "Histogram of a" in page


def test_a_wrong_separator_and_encoding_can_be_corrected(visitor):
    text = "città|età\n" + "".join(f"x{i % 9}|{20 + i}\n" for i in range(30))
    response = visitor.client.post("/upload", files={"file": ("a.csv", text.encode("latin-1"))})
    assert response.status_code == 400
    assert "encoding" in response.text
    (id,) = visitor.server.projects
    page = visitor.post(f"/projects/{id}/reading", encoding="latin-1", separator="|").text
    assert "città" in page
    assert "vertical bar" in page
    assert visitor.server.projects[id].table.column_names == ["città", "età"]
    page = visitor.post(f"/projects/{id}/reading", 400, encoding="none such").text
    assert "none such" in page
    assert visitor.server.projects[id].table.num_rows == 30  # as it was read before


def test_marks_of_missing_values_are_offered_and_taken(visitor):
    text = "age,work\n" + "".join(
        f"{20 + i % 40},{'?' if i % 9 == 0 else 'ab'[i % 2]}\n" for i in range(90)
    )
    project = visitor.upload(text)
    assert "looks like a code for missing values" in visitor.get(f"{project}/data")
    page = visitor.post(f"{project}/reading", blank="?").text
    assert "looks like a mark" not in page
    assert [column.missing for column in visitor.project(project).profile()] == [0, 10]


def test_small_histograms_and_dates(visitor):
    text = "born,pay\n" + "".join(
        f"19{50 + i % 40}-03-1{i % 9},{i * 7 % 100}\n" for i in range(200)
    )
    project = visitor.upload(text)
    born, pay = visitor.project(project).profile()
    assert (born.type, pay.type) == ("date", "number")
    assert born.ends == ("1950-03-10", "1989-03-17")
    assert max(pay.shape) == 1.0
    assert "Histogram of born from 1950-03-10" in visitor.get(f"{project}/data")


def test_roles_are_suggested_with_reasons_and_can_be_changed(visitor):
    project = visitor.upload()
    page = visitor.get(f"{project}/roles")
    assert "its name suggests names of persons" in page
    assert visitor.decide(project).url.path.endswith("/protection")
    assert visitor.project(project).having("quasi-identifier") == ["age", "pay"]


def test_a_page_without_quasi_identifiers_says_what_to_do(visitor):
    response = visitor.decide(visitor.upload(), dict.fromkeys(range(4), "other"), 400)
    assert "at least one column" in response.text


def test_a_role_that_does_not_exist_is_refused(visitor):
    project = visitor.upload()
    assert "does not exist" in visitor.decide(project, {0: "king"}, 400).text
    assert visitor.project(project).columns[0].role == "identifier"


def test_the_live_count_tells_uniques_and_what_unchanged_columns_reveal(visitor):
    project = visitor.upload()
    sent = {f"role-{number}": role for number, role in ROLES.items()}
    page = visitor.post(f"{project}/count", **sent).text
    assert "120 of 120 records are unique on the 2 chosen quasi-identifiers" in page
    assert "singles out 120 records" in page
    page = visitor.post(
        f"{project}/count", **{**sent, "role-1": "other", "role-2": "identifier"}
    ).text
    assert "Choose at least one quasi-identifier" in page
    sent = {"role-1": "identifier", "role-2": "identifier", "role-3": "quasi-identifier"}
    page = visitor.post(f"{project}/count", **sent).text
    assert "0 of 120 records are unique on the 1 chosen quasi-identifier." in page
    assert "No column is released without a role" in page


def test_the_order_of_an_ordinal_column_can_be_given(visitor):
    text = "age,grade\n" + "".join(f"{i},{('low', 'mid', 'high')[i % 3]}\n" for i in range(60))
    project = visitor.upload(text)
    assert ">high\nlow\nmid</textarea>" in visitor.get(f"{project}/roles")
    roles = {0: "quasi-identifier", 1: "quasi-identifier"}
    visitor.decide(project, roles, **{"kind-1": "ordinal", "order-1": "low\r\nmid\r\nhigh"})
    schema = visitor.project(project).schema
    assert schema.orders == {"grade": ["low", "mid", "high"]}


def test_every_option_of_a_table_is_on_the_form_or_named_as_missing(visitor):
    project = visitor.upload()
    visitor.decide(project)
    page = visitor.get(f"{project}/protection")
    for name, option in options_of(Settings, "memory").items():
        if name in (*SCHEMA_OPTIONS, "index"):
            continue
        shown = f'id="{name}"' in page
        assert shown or option.flags[0] in form.left_to_the_command_line()
        assert shown or f"<code>{option.flags[0]}</code>" in page


@pytest.mark.parametrize(
    ("options", "field", "words"),
    [
        ({"k": "1"}, "k", "must be an integer of at least 2"),
        ({"k": ""}, "k", "is missing"),
        ({"k": "many"}, "k", "Got &#39;many&#39;"),
        ({"k": "121"}, "k", "120"),
        ({"k": "5", "method": "nonsense"}, "", "no method"),
        ({"k": "5", "l_diversity": "2"}, "l_diversity", "confidential"),
        ({"k": "5", "t_closeness": "2"}, "t_closeness", "from 0 to 1"),
        ({"k": "5", "parameters": "gamma=2"}, "", "no parameter &#39;gamma&#39;"),
        ({"k": "5", "parameters": "gamma"}, "parameters", "name=value"),
        ({"k": "5", "round_to-1": "-1"}, "round_to", "above 0"),
        ({"k": "5", "strata": "3", "small_strata": "error", "weights": "city"}, "weights", "city"),
        ({"k": "5", "unit": "age"}, "unit", "age"),
    ],
)
def test_wrong_input_is_marked_at_its_field_with_the_library_s_message(
    visitor, options, field, words
):
    project = visitor.upload()
    visitor.decide(project)
    page = visitor.post(f"{project}/runs", 400, **options).text
    assert words in page
    if field:
        assert f'id="error-{field}"' in page
    assert not visitor.runs(project)


def test_missing_values_among_quasi_identifiers_are_kept_unless_the_user_decides_otherwise(visitor):
    text = "age,pay\n" + "".join(
        f"{20 + i % 40},{'' if i % 9 == 0 else i * 13 % 70}\n" for i in range(90)
    )
    project = visitor.upload(text)
    visitor.decide(project, {0: "quasi-identifier", 1: "quasi-identifier"})
    assert '<option value="keep" selected>' in visitor.get(f"{project}/protection")
    page = visitor.post(f"{project}/runs", 400, k="5", missing="error").text
    assert 'id="error-missing"' in page


def test_names_of_columns_are_escaped_everywhere(visitor):
    project = visitor.upload(HOSTILE, "<img src=x>.csv")
    for page in ("data", "roles", "protection", "runs"):
        text = visitor.get(f"{project}/{page}")
        assert "<script>alert" not in text
        assert "<img src=x>" not in text
        assert "{{ x }}" in text or page == "runs"


def test_options_by_column_take_every_name_as_it_is(visitor):
    project = visitor.upload(HOSTILE)
    roles = {**dict.fromkeys(range(5), "quasi-identifier"), 2: "other", 5: "confidential"}
    visitor.decide(project, roles)
    sent = {"k": ["3"], "round_to-0": ["0.5"], "round_to-4": ["2"], "strata": ["2"]}
    texts = form.texts_from(sent, visitor.project(project))
    names = list(HOSTILE_NAMES)
    settings = form.settings_of(texts, visitor.project(project).schema, names)
    assert settings.round_to == {names[0]: 0.5, names[4]: 2.0}
    assert settings.strata == (names[2],)


@pytest.mark.parametrize("path", ["count", "roles"])
def test_a_role_that_does_not_exist_is_an_error_in_words(visitor, path):
    project = visitor.upload()
    page = visitor.post(f"{project}/{path}", 400, **{"role-0": "x"}).text
    assert "a role or kind that does not exist" in page
