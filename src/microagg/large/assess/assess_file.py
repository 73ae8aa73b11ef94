"""`assess_file`: evaluate a masked file larger than memory by comparing it with the original."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

from microagg.assessment import Assessment
from microagg.data.remote import located
from microagg.errors import ParameterError
from microagg.large.amounts import bytes_of
from microagg.large.assess.class_counts import cannot_write
from microagg.large.assess.paired_files import PairedFiles, TypedFile
from microagg.large.assess.passes import Passes
from microagg.large.assess.room import Room
from microagg.large.dataset import SourceFiles
from microagg.large.memory import LARGEST_TABLE
from microagg.large.protect_file import FORM
from microagg.large.write import changed
from microagg.measure.score import scoring_index
from microagg.reading import Reading
from microagg.reporter import Reporter
from microagg.settings import Settings
from microagg.signatures import with_options


@with_options("assess", text_files=True, without=("target",))
def assess_file(
    original: str | Path,
    released: str | Path,
    *,
    memory: str | int = "2GB",
    work: str | Path | None = None,
    measures: str | Sequence[str] | None = None,
    loss_weight: float = 0.5,
    progress: Reporter | None = None,
    **options: Any,
) -> Assessment:
    """Measure the loss and the risk of a masked file larger than memory.

    Counts and sums cover all records: k, l-diversity, t-closeness, units, uniqueness, the information
    loss, means, covariances and correlations. Measures that compare single records, such as linkage, are
    estimated from a sample of about 20,000 records. Each finding says which it is.

    Parameters
    ----------
    original, released : path or URI
        Parquet or delimited text: a file, or a folder of such files. Columns are matched by name and
        rows by position. By default, every column that was changed is a quasi-identifier.
    {options}
    memory : str or int
        The maximum memory of the process, such as "2GB".
    work : path, optional
        The folder of temporary files, which contain hashes of the records; by default, that of the
        system. They are removed at the end.
    measures : str or list of str, optional
        Names of `measures()`; all by default.
    loss_weight : float, from 0 to 1
        The weight of the loss in the score.
    progress : Reporter, optional
        Shows the progress.

    Returns
    -------
    Assessment
        The value of each measure, with a note where it is an estimate.

    Examples
    --------
    >>> import microagg as ma, pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(pa.table({"age": [30, 32, 60, 64]}), f"{folder}/people.parquet")
    ...     pq.write_table(pa.table({"age": [31, 31, 62, 62]}), f"{folder}/masked.parquet")
    ...     assess_file(f"{folder}/people.parquet", f"{folder}/masked.parquet").measures["k"]
    2.0
    """
    scoring_index(0.0, 0.0, loss_weight)
    form = {name: options.pop(name, default) for name, default in FORM.items()}
    reading = Reading.create("assess_file", **form, blank=options.pop("blank", None))
    settings = Settings.create("assess", **options)
    reporter = progress or Reporter()
    sources = [located(original), located(released)]
    names = [SourceFiles.listed(source, LARGEST_TABLE, form).names for source in sources]
    room = Room.of(bytes_of(memory), sum(map(len, names)))
    blank = reading.blank or ()
    others = {*settings.confidential, settings.weights, settings.unit}
    blanked = settings.quasi_identifiers or [name for name in names[0] if name not in others]
    both = [
        TypedFile(SourceFiles.of(source, room.table, form), room.rows, blank, tuple(blanked))
        for source in sources
    ]
    if blank and any(file.data.dialect is None for file in both):
        raise ParameterError("applies to delimited text.", parameter="blank", hint="Leave it out.")
    states = [file.data.state() for file in both]
    before, after = (file.typed(reporter) for file in both)
    files = PairedFiles(before, after, reporter)
    with _temporary(work) as folder:
        passes = Passes.of(files, settings, folder, room)
        assessment = passes.assessment(measures, loss_weight)
    for file, state in zip(both, states, strict=True):
        if file.data.state() != state:
            raise changed(file.data.source)
    return assessment


@contextmanager
def _temporary(work: str | Path | None) -> Iterator[Path]:
    """Make a folder for temporary files, and remove it in the end."""
    if work is not None and not Path(work).is_dir():
        raise ParameterError(
            "must be a folder that exists.", parameter="work", hint="Create the folder first."
        )
    try:
        folder = TemporaryDirectory(prefix="microagg-assess-", dir=work, ignore_cleanup_errors=True)
    except OSError as error:
        raise cannot_write(gettempdir() if work is None else work, error) from None
    with folder as path:
        yield Path(path)
