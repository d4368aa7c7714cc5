"""Runs a notebook over an exported file. Prints its texts, and the number of its plots, as JSON."""

import json
import os
import sys

import nbformat
from nbclient import NotebookClient

path, file = sys.argv[1:]
os.environ["TAPELINE_FILE"] = file
notebook = nbformat.read(path, as_version=4)
NotebookClient(notebook, timeout=300, resources={"metadata": {"path": os.path.dirname(path)}}).execute()
outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
texts = [output.text for output in outputs if output.output_type == "stream"]
plots = [output for output in outputs if "image/png" in output.get("data", {})]
print(json.dumps({"texts": texts, "n_plots": len(plots)}))
