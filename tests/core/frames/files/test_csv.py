"""CSV as people write it: what is detected, what comes out again, and which line an error names."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayfold.core.frames.files import ReadOptions, read_file, write_file
from bayfold.errors import DatasetError, UsageError


@pytest.fixture
def read(tmp_path):
    def read_text(text, name="t.csv", **options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_file(str(path), ReadOptions(**options))

    return read_text


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("a,b\n1,x\n2,y\n", {"a": [1, 2], "b": ["x", "y"]}),
        ("a;b\n1,5;x\n-2,25;y\n", {"a": [1.5, -2.25], "b": ["x", "y"]}),
        ("a\tb\n1.5\tx\n2\ty\n", {"a": [1.5, 2.0], "b": ["x", "y"]}),
        ("a|b\n1|x y\n2|z\n", {"a": [1, 2], "b": ["x y", "z"]}),
        ('a,b\n"1,234",x\n"5,678,901.5",y\n', {"a": [1234.0, 5678901.5], "b": ["x", "y"]}),
        ("a;b\n1.234,5;x\n2,25;y\n", {"a": [1234.5, 2.25], "b": ["x", "y"]}),
        ("a;b\n1 234,5;1'000\n2;3\n", {"a": [1234.5, 2.0], "b": [1000, 3]}),
        ('a,b\n"x, ""y""\nz",1\n\nw,2\n', {"a": ['x, "y"\nz', "w"], "b": [1, 2]}),
        ("\ufeffa,b\n1,2\n", {"a": [1], "b": [2]}),
        ("a,b\r1,2\r3,4\r", {"a": [1, 3], "b": [2, 4]}),
        ("a , b\n 1 , x \n", {"a": [1], "b": ["x"]}),
        ("a,b\n0x1F,1\n0x00,2\n", {"a": ["0x1F", "0x00"], "b": [1, 2]}),
        ("name\nAnn\nBob\n", {"name": ["Ann", "Bob"]}),
        (",b\n1,2\n", {"column_1": [1], "b": [2]}),
        ("a,b\nTrue,x\nfalse,y\n", {"a": [True, False], "b": ["x", "y"]}),
        ("zip\n01067\n99999\n", {"zip": ["01067", "99999"]}),
        ("n\n12345678901234567890\n2\n", {"n": [12345678901234567890.0, 2.0]}),
        ("a,b\nNA,1\n?,2\n,3\n5,4\n", {"a": [None, None, None, 5], "b": [1, 2, 3, 4]}),
        ("a,b\n,1\n,2\n", {"a": [None, None], "b": [1, 2]}),
    ],
)
def test_cells_are_what_they_look_like(read, text, columns):
    assert read(text).frame.to_pydict() == columns


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (["2021-01-31", "2021-02-01"], datetime(2021, 1, 31)),
        (["2021-01-31 10:30", "2021-02-01 00:00"], datetime(2021, 1, 31, 10, 30)),
        (["31.1.2021", "1.2.2021"], datetime(2021, 1, 31)),
        (["13/01/2021", "01/02/2021"], datetime(2021, 1, 13)),
        (["01/13/2021", "01/02/2021"], datetime(2021, 1, 13)),
        (["02/01/2021", "03/01/2021"], "02/01/2021"),  # February or January: not for us to say
        (["2021-02-30", "2021-01-01"], "2021-02-30"),
    ],
)
def test_dates_are_read_where_there_is_one_way_to(read, cells, first):
    assert read("\n".join(["d", *cells])).frame["d"][0].as_py() == first


def test_where_a_number_could_be_two_the_other_columns_decide(read):
    text = "a;b\n1,234;{}\n5,678;{}\n"
    assert read(text.format("0,5", "1,25")).frame["a"].to_pylist() == [1.234, 5.678]
    assert read(text.format("0.5", "1.25")).frame["a"].to_pylist() == [1234, 5678]
    assert read(text.format("x", "y")).frame["a"].to_pylist() == [1.234, 5.678]
    assert read(text.format("x", "y"), decimal=".").frame["a"].to_pylist() == [1234, 5678]
    commas = 'a,b\n"1,234",x\n'
    assert read(commas).frame["a"].to_pylist() == [1234]
    assert read(commas, decimal=",").frame["a"].to_pylist() == [1.234]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig", "latin-1"])
def test_encodings_are_found_and_kept(read, tmp_path, encoding):
    text = "näme,b\nÄrger,1\n"
    given = encoding if encoding == "latin-1" else None
    file = read(text.encode(encoding), encoding=given)
    assert file.frame.to_pydict() == {"näme": ["Ärger"], "b": [1]}
    out = tmp_path / "out.csv"
    write_file(str(out), file.with_columns(file.names, {}, "csv"), "csv", file.dialect)
    assert out.read_bytes() == text.encode(encoding)
    assert bool(file.notices) == (encoding == "cp1252")


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@given(
    st.lists(st.tuples(cells, cells), min_size=1, max_size=5),
    st.sampled_from([",", ";", "\t", "|"]),
)
def test_what_is_written_is_read_again(tmp_path_factory, rows, delimiter):
    """To the letter, whatever is in the cells: quotes, line breaks, delimiters, blanks."""
    from bayfold.core.frames.files.formats import CsvDialect
    from bayfold.core.frames.output import make_frame

    path = str(tmp_path_factory.mktemp("csv") / "t.csv")
    columns = {name: [f"x{row[k]}x" for row in rows] for k, name in enumerate("ab")}
    write_file(path, make_frame(columns, "arrow"), "csv", CsvDialect(delimiter=delimiter))
    file = read_file(path, ReadOptions(delimiter=delimiter))
    assert file.written.to_pydict() == columns
    again = path + "2.csv"
    write_file(again, file.with_columns(file.names, {}, "csv"), "csv", file.dialect)
    with open(path, "rb") as first, open(again, "rb") as second:
        assert first.read() == second.read()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file must have a line with the names of its columns. Got an empty file."),
        ("\n\n", "Got an empty file."),
        ("a,b\n1,2\n3\n", "t.csv, line 3: a row must have 2 cells, one per column. Got 1."),
        ('a,b\n"x\ny",2\n\n3\n', "t.csv, line 5: a row must have 2 cells, one per column. Got 1."),
        ("a,b\n1,2,3\n", "t.csv, line 2: a row must have 2 cells, one per column. Got 3."),
        ('a,b\n1,2\n3,"x\n4,5\n', "t.csv, line 3: every quote must be closed."),
        (
            "a,a (1),a\n1,2,3\n",
            "line 1: column names must differ. Got 'a (1)' for columns 1 and 2.",
        ),
        ("a\0b\n", "t.csv, line 1: a CSV file must be text. Got binary data."),
        ("a,b\n1,x\n2,y\0\n", "t.csv, line 3: a CSV file must be text. Got binary data."),
    ],
)
def test_bad_files_are_refused_by_line(read, text, message):
    with pytest.raises(DatasetError, match=re.escape(message)):
        read(text)


def test_columns_of_a_known_kind_are_held_to_it(read):
    kinds = {"n": "numeric", "d": "time", "c": "nominal", "f": "boolean"}
    file = read("n,d,c,f\n01,2021-01-01,007,TRUE\n", kinds=kinds)
    found = {name: values[0] for name, values in file.frame.to_pydict().items()}
    assert found == {"n": 1, "d": datetime(2021, 1, 1), "c": "007", "f": True}
    with pytest.raises(DatasetError, match=r"line 4, column 'n': must be a number\. Got 'x'\."):
        read('n,c\n1,"a\nb"\nx,c\n', kinds=kinds)
    one_way = r"must be a date or time with one way to read it, such as 2021-01-31\."
    with pytest.raises(DatasetError, match=rf"line 2, column 'd': {one_way} Got 'x'"):
        read("d\nx\n2021-01-01\n", kinds=kinds)
    with pytest.raises(DatasetError, match=rf"{one_way} Got '02/01/2021'"):
        read("d\n02/01/2021\n", kinds=kinds)


def test_a_column_that_is_nearly_numbers_is_told(read):
    text = "a\n" + "1\n" * 20 + "unknown\n"
    (notice,) = read(text).notices
    assert "line 22, column 'a': taken for categories because of 'unknown'" in notice
    file = read(text, missing=("unknown",))
    assert file.notices == ()
    assert file.frame["a"].null_count == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": "ab"}, "`--delimiter` must be one character"),
        ({"decimal": "x"}, "`--decimal` must be . or ,"),
        ({"encoding": "utf-99"}, "`--encoding` must be an encoding such as utf-8"),
        ({"format": "xls"}, "`--format` must be one of csv, parquet, arrow, arff, duckdb"),
        ({"table": "t"}, "`--table` must go with a DuckDB file"),
    ],
)
def test_options_that_cannot_be_are_misuse(read, options, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        read("a,b\n1,2\n", **options)


def test_the_wrong_encoding_is_named_with_its_line(read):
    with pytest.raises(DatasetError, match=r"line 2: the text must be utf-8\. Got bytes that"):
        read("a\nÄ\n".encode("cp1252"), encoding="utf-8")


def test_delimiters_may_be_given_by_name(read):
    assert read("a,b\tc\n1\t2\n", delimiter="tab").names == ["a,b", "c"]


def test_points_may_set_thousands_apart(read):
    assert read("a;b\n1.234;0,5\n5.678;1,25\n").frame["a"].to_pylist() == [1234, 5678]
    assert read("a;b\n1.234;0.5\n5.678;1.25\n").frame["a"].to_pylist() == [1.234, 5.678]
    assert read("a;b\n1.234;x\n5.678;y\n").frame["a"].to_pylist() == [1.234, 5.678]
    assert read("a;b\n0.123;0,5\n0.456;1,5\n").frame["a"].to_pylist() == [0.123, 0.456]
    assert read("a,b\n1.234,x\n5.678,y\n").frame["a"].to_pylist() == [1.234, 5.678]


def test_a_file_of_two_encodings_is_an_error_that_names_the_line(read):
    right = "name,x\nÄpfel,1\nBöll,2\nÜber,3\n".encode()
    wrong = "café,4\n".encode("latin-1")
    with pytest.raises(ValueError, match=r"line 5"):
        read(right + wrong)
    assert read("name,x\nÄpfel,1\ncafé,4\n".encode("cp1252")).notices  # one encoding, found


def test_columns_of_one_name_are_numbered_as_frames_tell_them_apart(read):
    file = read("a,b,a\n1,2,3\n")
    assert file.names == ["a (1)", "b", "a (2)"]
    assert "columns of the same name are numbered: 'a (1)'" in file.notices[0]


@pytest.mark.parametrize(
    ("above", "header"), [("# device 12; A\n# a;b\n\n", "x;y"), ("# one, two\n", "#x;y")]
)
def test_comments_above_the_header_are_left_out(read, above, header):
    file = read(f"{above}{header}\n1,5;#a\n2,5;b\n")
    assert file.frame.to_pydict() == {header[:-2]: [1.5, 2.5], "y": ["#a", "b"]}
    with pytest.raises(DatasetError, match=f"line {above.count(chr(10)) + 3}: a row must have 2"):
        read(f"{above}{header}\n1;2\n3\n")


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (["03.01.24", "31.12.24"], datetime(2024, 1, 3)),
        (["Jan 05, 2025", "December 31, 2025"], datetime(2025, 1, 5)),
        (["5 Jan 2025"], datetime(2025, 1, 5)),
        (["05-Jan-25"], datetime(2025, 1, 5)),
        (["1/13/25", "1/2/25"], datetime(2025, 1, 13)),
        (["13/01/2025 9:05", "01/02/2025 10:00"], datetime(2025, 1, 13, 9, 5)),
        (["1/13/2025 12:05:00 AM"], datetime(2025, 1, 13, 0, 5)),
        (["1/2/2025 12:05:00 AM"], "1/2/2025 12:05:00 AM"),
        (["1.2.10", "2.2.10"], "1.2.10"),
        (["31.02.24"], "31.02.24"),
    ],
)
def test_dates_as_people_write_them(read, cells, first):
    text = "d\n" + "".join(f'"{cell}"\n' for cell in cells)
    assert read(text).frame["d"][0].as_py() == first


def test_somebody_may_say_which_comes_first(read):
    text = "d\n03/04/2025\n"
    assert read(text).frame["d"][0].as_py() == "03/04/2025"
    assert read(text, month_first=True).frame["d"][0].as_py() == datetime(2025, 3, 4)
    assert read(text, month_first=False).frame["d"][0].as_py() == datetime(2025, 4, 3)
    assert read("d,e\n03/04/2025,1/31/2025\n").dialect.month_first is True


def test_a_code_among_numbers_with_a_unit_is_told(read):
    file = read("h\n" + "77%\n80%\n" * 20 + "-999\n")
    assert "'h': taken for categories because of '-999'" in file.notices[0]
    assert read("h\n" + "77%\n80%\n" * 20).notices == ()
