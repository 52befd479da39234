"""The same table as a lazy frame of every engine at hand."""

import shutil

import polars as pl
import pytest

ENGINES = ["polars", "duckdb", "ibis", "pyspark"]


@pytest.fixture(scope="session")
def spark():
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    if shutil.which("java") is None:
        pytest.skip("PySpark needs Java")
    builder = sql.SparkSession.builder.master("local[1]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(params=ENGINES)
def as_lazy(request):
    """A function from the columns of a table to a lazy frame of one engine."""
    if request.param == "polars":
        return lambda columns: pl.DataFrame(columns, strict=False).lazy()
    if request.param == "duckdb":
        duckdb = pytest.importorskip("duckdb")

        def as_relation(columns):
            table = pl.DataFrame(columns, strict=False).to_arrow()
            connection = duckdb.connect()
            connection.register("arrow_table", table)
            connection.execute("CREATE TABLE samples AS SELECT * FROM arrow_table")
            return connection.table("samples")

        return as_relation
    if request.param == "ibis":
        ibis = pytest.importorskip("ibis")
        return lambda columns: ibis.memtable(pl.DataFrame(columns, strict=False).to_arrow())
    spark = request.getfixturevalue("spark")

    def as_spark(columns):
        return spark.createDataFrame(pl.DataFrame(columns, strict=False).to_arrow())

    return as_spark
