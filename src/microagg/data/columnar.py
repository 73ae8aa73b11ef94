"""What Parquet and Arrow files have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from microagg.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


def unwritable(table: pa.Table, kind: str) -> DataError:
    """Return the error for a table with columns that a columnar format has no place for."""
    types = sorted({str(field.type) for field in table.schema})
    return DataError(
        f"The table cannot be written as {kind}; its columns hold {', '.join(types)}.",
        hint="Turn columns of unusual types into text or numbers.",
    )


def without_unused_categories(table: pa.Table) -> pa.Table:
    """Return a table whose categories are only those of its own rows.

    A frame cut from a larger one still knows the categories of the rows that were left out.

    Examples
    --------
    >>> import pyarrow as pa
    >>> whole = pa.table({"town": pa.array(["a", "b", "a"]).dictionary_encode()})
    >>> without_unused_categories(whole.slice(2))["town"].chunk(0).dictionary.to_pylist()
    ['a']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for i, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) and table.num_rows:
            values = table.column(i).cast(field.type.value_type).combine_chunks()
            known = table.column(i).unify_dictionaries().chunk(0).dictionary
            known = known.filter(pc.is_in(known, value_set=values.unique()))
            codes = pc.index_in(values, value_set=known).cast(field.type.index_type)
            compact = pa.DictionaryArray.from_arrays(codes, known, ordered=field.type.ordered)
            table = table.set_column(i, field, compact)
    return table
