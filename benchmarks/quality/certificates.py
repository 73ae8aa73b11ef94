"""Certificates of the semidefinite bound as files, which `check_semidefinite` checks."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from microagg.engine import on_host
from microagg.partition.bounds.certificate import Certificate, bound_of
from microagg.partition.bounds.gap import safe
from microagg.typing import Floats


def write_certificate(file: Path, certificate: Certificate, points: Floats, k: int) -> float:
    """Write a certificate for the checker, B in single precision; return the bound of what is written.

    Any B proves a bound, so that one with fewer digits proves one too.
    """
    unit = certificate.unit
    upper = np.triu_indices(len(points))
    rest = (on_host(certificate.rest)[upper] * unit).astype(np.float32)
    whole = np.zeros((len(points), len(points)))
    whole[upper] = rest
    whole = whole + np.triu(whole, 1).T
    set_charges = on_host(certificate.set_charges) * unit
    written = Certificate(
        1.0,
        whole,
        on_host(certificate.triples),
        on_host(certificate.charges) * unit,
        certificate.group_charge * unit,
        certificate.sets,
        set_charges,
    )
    bound = safe(bound_of(written, points, k))
    np.savez_compressed(
        file,
        k=k,
        rest=rest,
        triples=written.triples.astype(np.int32),
        charges=written.charges,
        group_charge=written.group_charge,
        set_records=np.concatenate([np.empty(0, dtype=np.int32), *written.sets]).astype(np.int32),
        set_sizes=np.array([len(rows) for rows in written.sets], dtype=np.int32),
        set_charges=set_charges,
        bound=bound,
    )
    return bound
