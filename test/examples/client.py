"""Prints the version of DuckDB, and the rows of each query of standard input. Both are JSON; values are text."""

import json
import sys

import duckdb

connection = duckdb.connect(sys.argv[1], read_only=True)
answers = [connection.execute(query).fetchall() for query in json.load(sys.stdin)]
print(json.dumps({"version": duckdb.__version__, "answers": answers}))
