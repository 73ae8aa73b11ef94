"""Words of column names that say what a column may hold; values are judged before them."""

from __future__ import annotations

import re

from microagg.data.codes import ends_in_id
from microagg.data.column_names import words_of


def _set(text: str) -> frozenset[str]:
    return frozenset(words_of(text))


NAMES = _set(
    "name names surname firstname lastname fullname forename fname lname mname maiden nickname "
    "namefirst namelast vorname nachname nombre apellido apellidos nom prenom naam nome cognome"
)
"""Names of persons ..."""
OF_THINGS = _set(
    "product item drug brand hotel school city town country state county company firm employer dept "
    "department category type group event file variable table disease species course class team "
    "club league project station airport region district neighborhood neighbourhood borough facility "
    "hospital agency job position vendor manufacturer food plan program vax vaccine nationality "
    "common scientific short trade business store shop branch service test lab model make area zone "
    "province municipality parish court office domain field unit nation"
)
"""... unless they are names of something else."""

CONTACT = _set(
    "email mail phone telephone tel mobile cell cellphone fax address addr street url website ip "
    "username login twitter facebook instagram photo picture image signature imei mac vin plate"
)
NATIONAL = _set(
    "ssn sin nino bsn cpf cnpj dni nie nif pesel aadhaar curp cedula jmbg oib egn personnummer pps "
    "npi nhs mrn passport iban"
)
"""Words that name a person or a way to reach one, unless the column has few values."""

FREE_TEXT = _set(
    "note notes comment comments remark remarks narrative memo freetext verbatim feedback bemerkung "
    "anmerkung notiz kommentar"
)
"""Text that people wrote, in which the same sentence may occur several times."""

PERSONS = _set(
    "person people patient pat subject subj resp respondent participant user cust customer client emp "
    "employee member memb household hh hhld family fam house case account acct player student pupil "
    "child mother father worker staff passenger visitor guest host owner driver voter defendant "
    "inmate offender victim applicant borrower loan policy claim contract invoice ticket receipt "
    "transaction trans booking reservation encounter admission adm hadm stay visit episode report "
    "record rec row serial seq sample observation obs entry primary order trip arrest incident "
    "registration enrolment runner bib license licence physician doctor"
)
"""What an identifier may number: a person, a household, or an event in a person's life."""

IDENTIFIERS = _set("id ids idno uid uuid guid identifier identification hash pk seqn seqno rowid")
NUMBERS = _set("no nr nbr num number key ref reference index idx serial seq rec row record bib")
"""Last words of identifiers; those of `NUMBERS` only for values that differ."""

_COMPACT = re.compile(
    r"(?:(?:h|hh|hhold|p|u|gu|uu|q|case|person|pers|resp|user|cust|client|emp|house|household|fam|subj|"
    r"usubj|sub|patient|pat|stud|student|member|mem|player|loan|acct|account|row|rec|record|serial|ind|"
    r"mother|child|wave)(?:ids?|no|nr|num|nbr)|id(?:hh|hog|hogar|ind|pers|person|no|num|nr|code)|"
    r"seqn|seqno|pidp|hidp|serialno|unnamed|rownames|rownum)"
)

CONFIDENTIAL = re.compile(
    r"diagnos|(^|[_\W])diag|disease|illness|cancer|religio|ethnic|sexual|criminal|convict|test.?result|medicat|"
    r"progression|salary|symptom|disabilit|depress|mental|suicid|pregnan|abortion|smok|alcohol|"
    r"allerg|offen[cs]e|crime|verdict|sentence|insulin|treatment|readmit|mortality|political|"
    r"(^|[_\W])(hiv|race|icd|wage|bonus|drugs?|stroke|died|death|charges?|outcome|default|churn)",
    re.IGNORECASE,
)
WEIGHT = re.compile(r"weight|wgt|wght|wts|^wt|wt\d*$|(^|[_\W])wt($|[_\W\d])", re.IGNORECASE)
BODY = _set("kg kgs lb lbs body birth baby pounds kilograms kilos bmi bmxwt")
STATURE = _set("height bmi stature waist tall bmxht htcm")
"""Words beside which a weight is one of a body."""

BIRTH = _set("birth dob born birthdate birthday bday dateofbirth birthyear yob")
DEMOGRAPHIC = _set(
    "age agep ages sex gender birth marital marriage married maritl civil education educ edu degree "
    "school occupation occupations occ job jobs profession employment employed employer industry "
    "nationality citizenship citizen citizendesc language household hhsize family children kids "
    "dependents dependants income urban urbrur rural relationship relat relation veteran immigrant "
    "migration tenure housing home homeowner ownership insurance height title position department "
    "dept hired hire grade ward msp schl cow"
)
"""What others could know about a person."""
PLACES = _set(
    "country nation state province region county city town municipality district neighbourhood "
    "neighborhood borough ward beat zip postcode location place residence latitude longitude lat lon "
    "lng long origin destination precinct parish community village block zipcode plz puma fips geoid "
    "tract"
)


def sounds_like_an_identifier(name: str) -> bool:
    """Return whether a name ends or begins as those of identifiers do: `id`, `hhid`, `UTILITYID`."""
    words = words_of(name)
    if not words:
        return False
    ends = {words[-1], words[0]} | (
        {words[-2]} if words[-1].isdigit() and len(words) > 1 else set()
    )
    return bool(ends & IDENTIFIERS) or ends_in_id(name) or any(map(_COMPACT.fullmatch, words))


def sounds_like_a_number(name: str) -> bool:
    """Return whether a name is one for the number of something: `claim_no`, `caseNumber`."""
    words = words_of(name)
    return bool(words) and words[-1] in NUMBERS


def sounds_like_a_person(name: str) -> bool:
    """Return whether what is numbered is a person, or an event in the life of one."""
    words = words_of(name)
    compact = any(map(_COMPACT.fullmatch, words))
    alone = len(words) == 1 and words[0] in IDENTIFIERS | NUMBERS
    return compact or alone or bool(PERSONS & set(words))


def sounds_like_a_name(name: str) -> bool:
    """Return whether a name is one for the names of persons."""
    words = set(words_of(name))
    names_a_thing = OF_THINGS & words and not ("short" in words and len(words) == 2)
    return (bool(NAMES & words) and not names_a_thing) or words <= {"first", "last", "middle"}
