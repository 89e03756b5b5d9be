"""Files and tables of results for other programs (docs/exports.md)."""

from flexmbs.result.export import gltf, tables, vtkhdf


class ExportMethods:
    """What :class:`flexmbs.Result` offers to write itself; it has the histories and the motion."""

    to_pandas = tables.to_pandas
    to_csv = tables.to_csv
    to_parquet = tables.to_parquet
    to_mat = tables.to_mat
    to_xarray = tables.to_xarray
    to_netcdf = tables.to_netcdf
    to_uff = tables.to_uff
    to_vtkhdf = vtkhdf.to_vtkhdf
    to_gltf = gltf.to_gltf
