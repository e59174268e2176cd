"""SQL: statements as trees, normal forms, and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

import treekernels as tk
from treekernels import readers

pytest.importorskip("sqlglot")

EQUAL = [
    (
        "SELECT u.name AS n, u.age FROM users u WHERE u.age > 30 AND u.city = 'Rome'",
        "select age, name from Users where 'Rome' = city and (30 < age)",
    ),
    (
        "SELECT a.x AS y, count(*) c FROM t a JOIN u b ON a.id = b.id "
        "WHERE (a.k = 1 OR b.z IN (3, 1, 2)) AND b.w LIKE 'x%' GROUP BY y, b.q ORDER BY y, c",
        "select count(*), t.x from t join u on u.id = t.id "
        "where u.w like 'x%' and (u.z in (1,2,3) or 1 = t.k) group by u.q, t.x "
        "order by t.x, count(*)",
    ),
    (
        "SELECT a.x FROM t AS a, t AS b WHERE a.y = b.y",
        "SELECT one.x FROM t one, t two WHERE two.y = one.y",
    ),
    (
        "SELECT x FROM t WHERE x IN (SELECT q.id FROM u AS q WHERE q.k >= t.k)",
        "SELECT x FROM t WHERE x IN (SELECT id FROM u WHERE t.k <= k)",
    ),
    ("SELECT a AND (b AND c) AND d", "SELECT d AND c AND b AND a"),
    ("SELECT a + b * c", "SELECT c * b + a"),
    ("SELECT s.y FROM (SELECT t.y FROM t) AS s", "SELECT y FROM (SELECT y FROM t) AS r"),
    ("SELECT f(A)", "SELECT F(a)"),
]
DIFFERENT = [
    ("SELECT a - b", "SELECT b - a"),
    ("SELECT a < b", "SELECT b < a"),
    ("SELECT a AND b OR c", "SELECT a AND (b OR c)"),
    ("SELECT a, b UNION SELECT c, d", "SELECT b, a UNION SELECT c, d"),
    ("INSERT INTO t SELECT a, b FROM u", "INSERT INTO t SELECT b, a FROM u"),
    ("SELECT a FROM t ORDER BY b, c", "SELECT a FROM t ORDER BY c, b"),
    ('SELECT "A"', 'SELECT "a"'),
    ("SELECT a.x FROM t a JOIN u b ON a.i = b.i", "SELECT b.x FROM t a JOIN u b ON a.i = b.i"),
    ("SELECT a.x FROM t a, t b WHERE a.y = 1", "SELECT a.x FROM t a, t b WHERE b.y = 1"),
    ("SELECT 1", "SELECT '1'"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_queries_that_say_the_same(one: str, other: str) -> None:
    trees = [readers.from_sql(query, normalize=True) for query in (one, other)]
    assert trees[0] == trees[1]
    assert readers.from_sql(one) != readers.from_sql(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_queries_that_do_not(one: str, other: str) -> None:
    trees = [readers.from_sql(query, normalize=True) for query in (one, other)]
    assert trees[0] != trees[1]


def test_literals_and_dialects() -> None:
    text = "SELECT `a` FROM t WHERE b > 5 LIMIT 3"
    tree = readers.from_sql(text, dialect="mysql", literals=False)
    assert str(tree) == (
        "(Select (Column a) (From (Table t)) (Where (GT (Column b) Literal)) (Limit Literal))"
    )
    with pytest.raises(tk.ParameterError, match="dialect is 'nosuch'"):
        readers.from_sql(text, dialect="nosuch")
    with pytest.raises(tk.ParameterError, match="normalize must be True or False"):
        readers.from_sql(text, normalize="yes")  # type: ignore[arg-type]


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_text("select 1; -- one\n\nselect a\n from b;selec x y z;; select 2")
    problems: list[tk.ParseError] = []
    table = tk.read(path, origin=True, skip_bad=True, problems=problems)
    assert table["tree"].to_brackets() == [
        "(Select (Literal 1))",
        "(Select (Column a) (From (Table b)))",
        "(Select (Literal 2))",
    ]
    assert table["line"].tolist() == [1, 3, 4]
    assert [problem.line for problem in problems] == [4]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("select\n 1 frm t x y", 2, 8),
        ("select 'abc", 1, None),
        ("select " + "(" * 5000, 1, None),
    ],
)
def test_what_is_wrong_and_where(text: str, line: int, column: int | None) -> None:
    with pytest.raises(tk.ParseError, match="this is not SQL") as caught:
        readers.from_sql(text)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_long_chains() -> None:
    text = "select " + " and ".join(f"a = {n}" for n in range(2000))
    assert readers.from_sql(text, normalize=True).size == 2 + 5 * 2000
