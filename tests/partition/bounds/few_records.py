"""A few records whose best partition can be found by brute force."""


def records(rng, most):
    """Draw a few records and k: ties, constant and huge columns, offsets, k equal records far away."""
    n = int(rng.integers(4, most + 1))
    k, d = int(rng.integers(2, n // 2 + 1)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, d)) ** rng.choice([1, 3])
    if rng.random() < 0.4:
        X = rng.integers(-2, 3, size=(n, d)).astype(float)
    if rng.random() < 0.3:
        X[:, 0] = rng.choice([0.0, 3.0, 1e9])
    if rng.random() < 0.3:
        X[:, -1] *= rng.choice([1e-6, 1e4, 1e9])
    if rng.random() < 0.3:
        X[:k] = rng.choice([1e3, 1e6, 1e9])
    if rng.random() < 0.3:
        X += rng.choice([0.1, 1e3 + 0.1, 1e9])
    if rng.random() < 0.2:
        X[rng.permutation(n)[: n // 2]] = X[0]
    return X, k
