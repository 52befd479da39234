"""Selection over rows that are spread over a Dask cluster."""
