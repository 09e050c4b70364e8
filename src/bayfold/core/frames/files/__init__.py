"""Files of tables, in and out: CSV, Parquet, Arrow IPC, ARFF and DuckDB, compressed by gzip or not.

What went in comes out: a CSV file keeps the cells as they were written beside the columns a model sees, so that
a column of predictions can be added without touching a zip code or a long number.
"""

from bayfold.core.frames.files.formats import ReadOptions
from bayfold.core.frames.files.read import read_file
from bayfold.core.frames.files.table_file import TableFile
from bayfold.core.frames.files.write import find_output_format, find_stdout, write_file
