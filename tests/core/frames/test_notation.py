import pytest

from bayfold.core.frames.notation import AMBIGUOUS, Notation, find_notation, parse_labels

NUMBERS = {
    "dollars": (["$1,234.50", "$12"], [1234.5, 12.0]),
    "euros": (["1.475,01 €", "12,00 €", "3\u00a0€"], [1475.01, 12.0, 3.0]),
    "whole dollars, thousands by the plain ones": (["$1,234", "$950"], [1234.0, 950.0]),
    "whole euros, thousands by the plain ones": (["1.234 €", "950 €"], [1234.0, 950.0]),
    "a currency in letters": (["USD 12", "USD 1,300"], [12.0, 1300.0]),
    "percent is not divided": (["12%", "12.5 %"], [12.0, 12.5]),
    "a zero before the point settles the sign": (["0.123%", "1.234%"], [0.123, 1.234]),
    "units": (["70.5 kg", "80 kg"], [70.5, 80.0]),
    "units of several signs": (["5 °C", "-3 °C"], [5.0, -3.0]),
    "units with a stroke": (["12 km/h", "9km/h"], [12.0, 9.0]),
    "words": (["36 months", "60 months"], [36.0, 60.0]),
    "accounting": (["(104)", "95"], [-104.0, 95.0]),
    "accounting with money": (["($5.50)", "$(5)", "-$5", "$-5"], [-5.5, -5.0, -5.0, -5.0]),
    "the minus of typesetters": (["\u22125 kg", "+5 kg"], [-5.0, 5.0]),
    "missing cells": (["$12", "n/a", "-", "?", ""], [12.0, None, None, None, None]),
    "digits and a question mark": (["12", "?"], [12.0, None]),
    "thousands": (["1,234.5", "950"], [1234.5, 950.0]),
    "thousands by apostrophes": (["1'234", "950"], [1234.0, 950.0]),
    "a decimal comma": (["12,5", "13"], [12.5, 13.0]),
}

LABELS = {
    "plain digits, which somebody has made strings": ["12", "13"],
    "digits and what pandas makes of a missing cell": ["12", "nan"],
    "codes": ["A12", "A13"],
    "codes with a letter behind": ["12A", "13A"],
    "ratios": ["1/2", "3/4"],
    "clock times": ["1:30", "2:45"],
    "versions": ["1.2.3", "1.2.4"],
    "postcodes": ["01067", "12345"],
    "postcodes with a unit": ["007 kg", "12 kg"],
    "phone numbers": ["555 123 456", "555 123 457"],
    "phone numbers with a code": ["+49 30 1234", "+49 40 5678"],
    "addresses of machines": ["192.168.100.200", "192.168.100.201"],
    "dates": ["2020-01-01", "2020-01-02"],
    "ranges": ["10-20", "20-30"],
    "bounds": ["<5", "5"],
    "ordinals": ["1st", "2nd"],
    "two currencies": ["$12", "€12"],
    "two units": ["70 kg", "70 lb"],
    "a unit in some cells only": ["70 kg", "70"],
    "all in parentheses": ["(1)", "(2)"],
    "nothing but missing cells": ["-", "?"],
    "no cells": [],
    "other digits": ["\u0663 kg"],
    "open parentheses": ["($5", "$5"],
    "two signs": ["--5 kg"],
}


@pytest.mark.parametrize(("labels", "numbers"), NUMBERS.values(), ids=NUMBERS)
def test_numbers_as_people_write_them(labels, numbers):
    notation = find_notation(labels)
    assert isinstance(notation, Notation)
    found, wrong = parse_labels(labels, notation)
    assert wrong is None
    assert [None if number != number else number for number in found] == numbers


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_what_is_something_else_or_may_be_stays_a_label(labels):
    assert find_notation(labels) is None


@pytest.mark.parametrize(
    "labels", [["1,234 kg", "5,678 kg"], ["1.475 €", "2.475 €"], ["1,234", "5,678"]]
)
def test_a_sign_that_may_be_of_decimals_or_of_thousands_is_in_doubt(labels):
    assert find_notation(labels) == AMBIGUOUS


def test_one_label_among_many_that_is_no_number():
    labels = [f"${k}" for k in range(1000)]
    assert isinstance(find_notation(labels), Notation)
    assert find_notation([*labels, "free"]) is None


@pytest.mark.parametrize("label", ["€12", "12 kg", "1.234,5 $", "free", "1:30"])
def test_another_notation_is_no_number(label):
    assert parse_labels(["$1", label], Notation("$", ".", is_before=True))[1] == label
