"""A model as one SELECT: stages that each work out what the next one reads."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from bayfold.core.densities.terms import CodedForm, ParabolaForm
from bayfold.errors import check_choice, check_name_list, names_alike
from bayfold.export.dialects import DIALECTS, SqlDialect
from bayfold.export.plain import PlainModel
from bayfold.export.sql_answers import answer_classes, answer_numbers, answer_rates
from bayfold.export.sql_stages import Stages, name_results
from bayfold.export.sql_terms import (
    average_parabolas,
    choose_joined,
    find_code,
    list_scores,
    place_of_pair,
    place_on_line,
    read_cells,
    read_joined,
    uses_number,
    write_pair,
    write_sum,
    write_term,
)


def write_sql(
    model: PlainModel,
    dialect: str = "duckdb",
    *,
    table: str | Sequence[str] = "data",
    keep: Sequence[str] = (),
    evidence: bool = False,
    quantiles: Sequence[float] = (),
    exposure: str | None = None,
) -> str:
    """One SELECT that scores a table.

    Parameters
    ----------
    model : PlainModel
    dialect : {"duckdb", "sqlite", "postgres"}
    table : str or sequence of str
        Its name, or schema and name.
    keep : sequence of str
        Columns of the table that come before the answers.
    evidence : bool
        Whether what each column adds comes after the answers.
    quantiles : sequence of float
        Of a numeric target.
    exposure : str or None
        A column of the table that rates are multiplied by.
    """
    check_choice("dialect", dialect, list(DIALECTS))
    check_name_list("keep", keep)
    writer = SqlWriter(model, DIALECTS[dialect])
    comments = "".join(f"-- {line}\n" for line in model.say_edits())
    return comments + writer.write(table, list(keep), evidence, list(quantiles), exposure)


class SqlWriter:
    """Writes the stages of a model: cells, codes, places, scores, answers.

    Stages are materialized: a database that puts one into the next would work codes out at every comparison.
    """

    def __init__(self, model: PlainModel, dialect: SqlDialect) -> None:
        self.model = model
        self.dialect = dialect
        paired = set(chain.from_iterable(pair.columns for pair in model.pairs))
        self.read = [
            j for j, column in enumerate(model.columns) if j in paired or not column.is_silent
        ]
        self.coded = [j for j in self.read if isinstance(model.columns[j].form, CodedForm)]
        self.joined = choose_joined(dialect, model.columns, model.n_scores)
        check_names_differ(dialect, [model.columns[j].name for j in self.read])

    def write(
        self,
        table: str | Sequence[str],
        keep: list[str],
        evidence: bool,
        quantiles: list[float],
        exposure: str | None = None,
    ) -> str:
        """The whole statement."""
        stages = Stages(self.dialect, table, keep if exposure is None else [*keep, exposure])
        self._add_cells(stages)
        self._add_codes(stages)
        self._add_places(stages)
        named = self._add_evidence(stages) if evidence else {}
        self._add_scores(stages, bool(named))
        if self.model.is_rate:
            answers = answer_rates(stages, None if exposure is None else stages.kept[-1])
        elif self.model.grid is None:
            answers = answer_classes(self.model, stages, list(named))
        else:
            answers = answer_numbers(self.model, stages, quantiles)
        names = name_results(self.dialect, [*keep, *answers, *named.values()])
        expressions = [*stages.kept[: len(keep)], *answers.values(), *named]
        return stages.finish(dict(zip(names, expressions, strict=True)))

    def _add_cells(self, stages: Stages) -> None:
        cells: dict[str, str] = {}
        for j in self.read:
            cells |= read_cells(self.dialect, self.model.columns[j], j)
        stages.add("cells", cells)

    def _add_codes(self, stages: Stages) -> None:
        columns = self.model.columns
        numbers = {f"x{j}": f"x{j}" for j in self.read if uses_number(columns[j])}
        codes = {f"c{j}": find_code(self.dialect, columns[j], j) for j in self.coded}
        stages.add("codes", numbers | codes)

    def _add_places(self, stages: Stages) -> None:
        """Shares of lines, places in tables of pairs, averages of parabolas."""
        columns = self.model.columns
        dialect = self.dialect
        found: dict[str, str] = {}
        for j in self.read:
            form = columns[j].form
            if isinstance(form, ParabolaForm) and self.model.n_scores > 1:
                found[f"m{j}"] = average_parabolas(dialect, form, j)
            elif isinstance(form, CodedForm) and form.line is not None:
                found[f"f{j}"] = place_on_line(dialect, columns[j], j)
        for k, pair in enumerate(self.model.pairs):
            found[f"q{k}"] = place_of_pair(dialect, pair)
        if found:
            numbers = [f"x{j}" for j in self.read if j not in self.coded]
            codes = [f"c{j}" for j in self.coded]
            stages.add("places", {name: name for name in numbers + codes} | found)

    def _summands(self, score: int) -> dict[str, str]:
        """What columns and pairs add to a score, by the name of the evidence."""
        model = self.model
        dialect = self.dialect
        columns = {}
        for j in self.read:
            column = model.columns[j]
            name = f"e{j}_{score}"
            if j in self.joined:
                columns[name] = read_joined(column, j, score)
            elif not column.is_silent:
                columns[name] = write_term(dialect, column, j, score, model.n_scores)
        pairs = {
            f"p{k}_{score}": write_pair(dialect, pair, k, score)
            for k, pair in enumerate(model.pairs)
        }
        return columns | pairs

    def _add_evidence(self, stages: Stages) -> dict[str, str]:
        """A stage with what each column and pair adds, and the names of all that in the answer."""
        found: dict[str, str] = {}
        named: dict[str, str] = {}
        for score in range(self.model.n_scores):
            found |= self._summands(score)
            of_score = f"_{self._name_of_score(score)}" if self.model.n_scores > 1 else ""
            for name in self._summands(score):
                named[name] = f"evidence_{self._name_of_summand(name)}{of_score}"
        stages.add("evidence", found, self._join_tables(stages))
        return named

    def _name_of_score(self, score: int) -> object:
        classes = self.model.classes
        return score if classes is None else classes[score]

    def _name_of_summand(self, name: str) -> str:
        position = int(name[1:].split("_")[0])
        columns = self.model.columns
        if name[0] == "e":
            return columns[position].name
        return " x ".join(columns[j].name for j in self.model.pairs[position].columns)

    def _add_scores(self, stages: Stages, from_evidence: bool) -> None:
        scores: dict[str, str] = {}
        carried: list[str] = []
        for score in range(self.model.n_scores):
            summands = self._summands(score)
            start = self.dialect.number(self.model.intercept[score])
            parts = list(summands) if from_evidence else [f"({s})" for s in summands.values()]
            scores[f"s{score}"] = write_sum([start, *parts])
            carried += list(summands) if from_evidence else []
        joined = {} if from_evidence else self._join_tables(stages)
        stages.add("scores", {name: name for name in carried} | scores, joined)

    def _join_tables(self, stages: Stages) -> dict[str, str]:
        """Tables of scores for the next stage, where these are read so; and how they are joined."""
        columns = self.model.columns
        joined = {}
        for j in self.joined:
            stages.add_table(f"w{j}", *list_scores(self.dialect, columns[j]))
            joined[f"w{j}"] = f"w{j}.code = c{j}"
        return joined


def check_names_differ(dialect: SqlDialect, names: list[str]) -> None:
    """Refuse columns whose names a database takes for one."""
    seen: dict[str, str] = {}
    for name in names:
        key = name if dialect.exact_case else name.casefold()
        if key in seen:
            raise names_alike(dialect.name, [seen[key], name])
        seen[key] = name
