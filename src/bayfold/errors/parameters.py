"""What is wrong with a parameter, where more is to be said than what ``checks`` says."""

from __future__ import annotations

from collections.abc import Sequence

from bayfold.errors.kinds import few


def bad_parameter(name: str, condition: str, value: object, advice: str = "") -> ValueError:
    """A parameter outside its domain."""
    return ValueError(f"`{name}` must be {condition}. Got {value!r}. {advice}".rstrip())


# columns


def bad_mask(parameter: str, n_columns: int, given: object) -> ValueError:
    """A mask of columns that is too long or too short."""
    condition = f"a mask with one entry for each of the {n_columns} columns"
    return bad_parameter(parameter, condition, given)


def bad_ngrams(value: object, most: int) -> ValueError:
    """Lengths of sequences of words that cannot be."""
    condition = f"two whole numbers from 1 to {most}, the smaller one first, such as (1, 2)"
    return bad_parameter("ngrams", condition, value)


def column_of_two_kinds(parameter: str, other: str, column: str) -> ValueError:
    """A column that was called both."""
    condition = f"about other columns than `{other}`"
    return bad_parameter(parameter, condition, column, "Name it in one of them only.")


def bad_decimal_sign(sign: object) -> ValueError:
    """A dict with something else than decimal signs."""
    return bad_parameter("numeric_features", "columns, or a dict from columns to '.' or ','", sign)


def decimal_sign_needed(column: str, cell: str) -> ValueError:
    """Numbers that can be read in two ways."""
    condition = f"a dict with the decimal sign of {column!r}, whose cells do not tell it"
    hint = f"Write {{{column!r}: '.'}} if it is a point, {{{column!r}: ','}} if it is a comma."
    return bad_parameter("numeric_features", condition, cell, hint)


def not_numbers(column: str, found: str) -> ValueError:
    """A column that was called one of numbers and holds something else."""
    return ValueError(
        f"`numeric_features` must be columns of numbers in one unit. Got {found} in {column!r}. Convert such cells; "
        "write '?' or nothing where a cell is missing."
    )


def unknown_column(parameter: str, entry: object, names: list[str]) -> ValueError:
    """A name or position that no column has."""
    return bad_parameter(parameter, f"given by columns of the table ({few(names, 8)})", entry)


def bad_by_column(name: str, condition: str, value: object) -> ValueError:
    """A value for all columns, or for one in a dict, that none can have."""
    return bad_parameter(name, f"{condition}, or a dict from columns to these", value)


def density_of_categories(column: str) -> ValueError:
    """A density for a nominal column."""
    return bad_parameter("numeric", "about numeric columns", column, "Leave it out of the dict.")


def monotone_without_bins(column: str, method: str, known: Sequence[str]) -> ValueError:
    """A direction for a curve."""
    condition = f"about columns with bins (numeric={', '.join(map(repr, known))})"
    return bad_parameter("monotone", condition, f"{column} ({method})")


def monotone_of_categories(column: str) -> ValueError:
    """A direction for a column that has no order."""
    condition = "about columns of numbers"
    return bad_parameter("monotone", condition, f"{column} (categories)", "Leave it out.")


def two_directions(column: str, *directions: str) -> ValueError:
    """Two directions for one column, once by its name and once by its position."""
    return bad_parameter("monotone", f"one direction for {column!r}", list(directions))


def unknown_against(label: object, classes: list) -> ValueError:
    """Reasons against a class that is none."""
    return bad_parameter("against", f"one of the classes ({few(classes, 8)})", label)


def not_monotone(estimator: str) -> AttributeError:
    """A proof of what was not asked for."""
    return AttributeError(
        f"This {estimator} was fitted without `monotone`: no column of it has a direction."
    )


def monotone_for_many(n_classes: int) -> ValueError:
    """A direction where there is no second of two classes."""
    condition = "None unless there are exactly two classes"
    return bad_parameter("monotone", condition, f"{n_classes} classes")


def bins_without_use(column: str, method: str, known: Sequence[str]) -> ValueError:
    """A number of bins for a density that has none, or finds its own."""
    condition = f"about columns with so many bins (numeric={', '.join(map(repr, known))})"
    return bad_parameter("n_bins", condition, f"{column} ({method})", "Leave it out.")


# given bins


def bad_bins(value: object, most: int) -> ValueError:
    """Bins of no column."""
    condition = (
        f"None, a whole number from 2 to {most}, or a dict from columns to cuts, groups of categories or "
        "numbers of bins"
    )
    return bad_parameter("bins", condition, value, 'For instance {"age": [18, 25, 40]}.')


def bad_bins_of_column(column: str, value: object, most: int) -> ValueError:
    """Neither cuts nor groups."""
    condition = (
        f"increasing numbers (at most {most - 1}), lists of categories, or a whole number from 2 to {most}, "
        f"for the column {column!r}"
    )
    return bad_parameter("bins", condition, value)


def bins_given_twice(column: str) -> ValueError:
    """A column that was given by name and by position."""
    return bad_parameter("bins", "about each column once", column, "Name it by name or position.")


def bins_of_wrong_kind(column: str, kind: str) -> ValueError:
    """Cuts of categories, groups of numbers, or bins of a text."""
    wanted = {"numeric": "increasing numbers", "nominal": "lists of categories"}
    condition = f"{wanted.get(kind, 'left out')} for the {kind} column {column!r}"
    advice = "`categorical_features=` makes numbers categories." if kind == "numeric" else ""
    return bad_parameter("bins", condition, "something else", advice)


def unordered_cuts(column: str, low: float, high: float) -> ValueError:
    """Cuts of which one is not above the one before."""
    condition = f"increasing numbers for the column {column!r}"
    return bad_parameter("bins", condition, f"{low:g} before {high:g}")


def empty_group(column: str) -> ValueError:
    """A bin without a category."""
    return bad_parameter("bins", f"lists of at least one category for the column {column!r}", [])


def category_in_two_groups(column: str, label: str) -> ValueError:
    """A category that would be in two bins."""
    condition = f"lists without a category in common for the column {column!r}"
    return bad_parameter("bins", condition, f"{label!r} twice")


def density_of_given_bins(column: str) -> ValueError:
    """A density for a column whose bins are taken as they are."""
    condition = "about columns whose bins are not given"
    return bad_parameter("numeric", condition, column, "Leave it out of `numeric` or of `bins`.")


# special codes


def bad_special_codes(value: object, most: int) -> ValueError:
    """Codes that are no numbers."""
    condition = f"None, 1 to {most} numbers, or a dict from columns to these"
    return bad_parameter("special_codes", condition, value, 'For instance {"income": [-99, -98]}.')


def special_codes_given_twice(column: str) -> ValueError:
    """A column that was given by name and by position."""
    return bad_parameter("special_codes", "about each column once", column)


def special_codes_of_categories(column: str) -> ValueError:
    """Special codes of a column in which every category has a bin anyway."""
    advice = "Each of its categories has a bin of its own already."
    return bad_parameter("special_codes", "about columns of numbers", column, advice)


def too_many_special_codes(column: str, most: int) -> ValueError:
    """More bins and codes than a byte can tell apart."""
    condition = f"few enough for the column {column!r} to have at most {most} bins with them"
    return bad_parameter("special_codes", condition, "more")


def special_codes_of_curve(column: str, method: str, curves: Sequence[str]) -> ValueError:
    """A density of numbers for a column some of whose numbers are codes."""
    condition = f"about columns with bins (not numeric={' or '.join(map(repr, curves))})"
    return bad_parameter("special_codes", condition, f"{column} ({method})")


def knows_no_special_codes(estimator: str, column: str) -> ValueError:
    """A schema with special codes for an estimator that would take them for numbers."""
    condition = f"without special codes for {estimator}"
    return bad_parameter("schema", condition, f"one with special codes of {column!r}")


# interactions


def bad_pairs(parameter: str, condition: str, value: object) -> ValueError:
    """Something else than pairs of columns."""
    return bad_parameter(parameter, condition, value, 'For instance [("age", "income")].')


def unpaired_column(column: str) -> ValueError:
    """A column with too many categories for a table of two columns, or of text."""
    condition = "about columns of numbers and of at most 254 categories"
    return bad_parameter("interactions", condition, column)


def order_of_three_columns(interactions: object) -> ValueError:
    """Tables of three columns in a model whose scores are to be ordered."""
    condition = 'without tables of three columns beside `monotone`, such as "auto" or 2'
    return bad_parameter("interactions", condition, interactions)


def pair_allowed_and_forbidden(first: str, second: str) -> ValueError:
    """A pair that is looked for and must not be."""
    advice = "Leave it out of one of them."
    condition = "about other pairs than `forbidden_interactions`"
    return bad_parameter("interactions", condition, (first, second), advice)


# estimates


def bad_smoothing(value: object, declared: bool = True) -> ValueError:
    """No rule for counts of zero."""
    also = '"laplace_declared", ' if declared else ""
    condition = (
        f'"shrinkage", "m_estimate", "laplace", "none", {also}None or a number that is not negative '
        "(added to every count)"
    )
    return bad_parameter("smoothing", condition, value)


def bad_priors(value: object, classes: list) -> ValueError:
    """No probabilities of the classes."""
    condition = (
        f'None, "laplace", "uniform", or one probability for each of the classes {classes}, '
        "as a list or a dict, that add up to 1"
    )
    return bad_parameter("priors", condition, value)


def bad_call(estimator: str, method: str, problem: str) -> TypeError:
    """An argument that is missing or unknown; ``problem`` in Python's words."""
    advice = ""
    if problem.endswith(("argument 'exposure'", "argument 'offset'")):
        advice = " Rates are learnt by BoostedNaiveBayesRegressor with loss='poisson', 'gamma' or 'tweedie'."
    return TypeError(f"{estimator}.{method}() {problem}.{advice}")


def bad_class_weight(value: object, classes: list, limit: float) -> ValueError:
    """No weights of the classes."""
    condition = f'None, "balanced" or a dict from the classes {classes} to weights between {1 / limit:g} and {limit:g}'
    return bad_parameter(
        "class_weight", condition, value, "To learn without a class, leave out its rows."
    )


def selection_without_weights(calibration: object) -> ValueError:
    """Columns to be dropped by weights that are not fitted."""
    advice = "Columns are dropped by their weights."
    return bad_parameter("calibration", '"weights" with `select=True`', calibration, advice)


def bad_schema(value: object) -> ValueError:
    """Something else than a schema."""
    advice = "Take schema_ from a fitted model."
    return bad_parameter("schema", "a bayfold Schema or None", value, advice)


def bad_base(base: object) -> ValueError:
    """Something else than a tree to boost."""
    return bad_parameter("base", "a NaiveBayesTreeClassifier or None", base)


def parameter_of_base(name: str, value: object, estimator: str) -> ValueError:
    """A parameter of the tree that the ensemble decides."""
    return bad_parameter(f"base.{name}", "None", value, f"Give it to {estimator} instead.")


def deep_base(max_depth: object) -> ValueError:
    """Trees for a method that boosts naive Bayes itself."""
    advice = 'Use NaiveBayesTreeClassifier(0) or method="m1".'
    return bad_parameter("base.max_depth", '0 with method="real"', max_depth, advice)


# mixtures


def bad_n_components(value: object) -> ValueError:
    """No number of components, nor several."""
    return bad_parameter("n_components", '"cv", a whole number from 1, or several of these', value)


def bad_start(found: object) -> ValueError:
    """No memberships to start from."""
    condition = '"seeds", or for a given number of components an array with one row of shares per row of `X`'
    return bad_parameter("init", condition, found)


def bad_n_clusters(value: object) -> ValueError:
    """No number of clusters."""
    condition = '"accuracy", "cv", a whole number from 1, or a dict from classes to numbers'
    return bad_parameter("n_clusters", condition, value)


def clusters_of_unknown_class(label: object, classes: list) -> ValueError:
    """A number of clusters for a class that does not occur."""
    return bad_parameter("n_clusters", f"about the classes {classes}", label)


# arrays and answers


def bad_weights_shape(shape: tuple[int, ...]) -> ValueError:
    """Weights that are not one per row."""
    return bad_parameter("sample_weight", "1D with one weight per row", shape)


def bad_points(name: str, n_rows: int, shape: tuple[int, ...]) -> ValueError:
    """Points of neither every row nor each row."""
    condition = f"a number, a list of numbers, or of shape ({n_rows}, k)"
    return bad_parameter(name, condition, shape)


def not_one_per_row(name: str, n_rows: int, shape: tuple[int, ...]) -> ValueError:
    """Not one number for each row."""
    return bad_parameter(name, f"of shape ({n_rows},), one per row", shape)


def bad_quantiles(value: object) -> ValueError:
    """No probabilities."""
    return bad_parameter("quantiles", "a probability or a list of probabilities", value)


def no_density(column: object) -> ValueError:
    """A column that has no densities."""
    condition = "a numeric column with at least two values that was selected"
    return bad_parameter("column", condition, column)


def target_unknown() -> ValueError:
    """A missing target where it is to be judged."""
    return bad_parameter("y", "known for every row", "a missing target")


def bad_power(power: object) -> ValueError:
    """A moment that is not computed."""
    return bad_parameter("power", "0, 1 or 2", power)


def bad_intervals(condition: str, found: object) -> ValueError:
    """Intervals that are no density."""
    return bad_parameter("intervals", condition, found)


def not_a_list(name: str, shape: tuple[int, ...]) -> ValueError:
    """An array with another dimension than one."""
    return bad_parameter(name, "a list of numbers", shape)


def infinite_number(name: str, value: float) -> ValueError:
    """Infinity among numbers."""
    return bad_parameter(name, "finite or missing", value)


def no_number(name: str, given: object) -> ValueError:
    """Nothing but missing values."""
    return bad_parameter(name, "a list with at least one number", given)


def bad_n_jobs(value: object) -> ValueError:
    """No number of threads."""
    return bad_parameter("n_jobs", "None or a whole number that is not zero", value)


def bad_axes(value: object) -> ValueError:
    """Not the two axes a tree is drawn on."""
    return bad_parameter("ax", "a pair of matplotlib Axes, or None", value)


# costs of decisions


def costs_in_a_frame(costs: object) -> ValueError:
    """A frame, whose labels could be read in two ways."""
    return ValueError(
        "`costs` must be a mapping costs[true][decided] or an array in the order of `classes_`. "
        f"Got a {type(costs).__name__}. With true classes as the index, give costs.to_dict('index')."
    )


def costs_of_other_shape(classes: list, shape: tuple[int, ...]) -> ValueError:
    """An array that has not one row and one column per class."""
    n = len(classes)
    return ValueError(
        f"`costs` must have {n} rows (true classes) and {n} columns (decisions), in the order {few(classes)}. "
        f"Got the shape {shape}."
    )


def costs_not_by_class(true: object, row: object) -> ValueError:
    """A mapping whose values are no mappings."""
    return ValueError(
        f"`costs[{true!r}]` must be a mapping from decision to cost. Got {row!r}. "
        "Write {'sick': {'well': 50}, 'well': {'sick': 1}}."
    )


def costs_of_unknown_class(label: object, classes: list) -> ValueError:
    """A label that the model does not know."""
    return ValueError(f"`costs` must be about the classes {few(classes)}. Got {label!r}.")


def bad_cost(true: object, decided: object, cost: object) -> ValueError:
    """A cost that is no finite number, or was left out."""
    return ValueError(
        f"`costs[{true!r}][{decided!r}]` must be a finite number. Got {cost!r}. "
        "Every wrong decision needs a cost; right ones cost nothing unless named."
    )
