"""One generation of strings of bits; a 1 says that a group of the sorted values begins there."""

from microagg.kernels.extremes import smaller
from microagg.kernels.jit import kernel
from microagg.kernels.line.cuts_1d import squares


@kernel
def next_generation(
    values, k, population, losses, chances, crossover, children, child_losses, ticker
):
    """Breed `children` uint8[m, n] and find their losses; the best parent is the first child.

    `chances` float64[m, 6 + mutations] are the random numbers of each child: four to choose its
    parents, two for crossing them, and where bits flip. OUT: children, child_losses; what is left is
    worthless when ticker[1] is set.
    """
    m, n = population.shape
    best = 0
    for i in range(1, m):
        if losses[i] < losses[best]:
            best = i
    children[0], child_losses[0] = population[best], losses[best]
    for child in range(1, m):
        if ticker[1] != 0:
            break
        chance = chances[child]
        mother = better(losses, int(chance[0] * m), int(chance[1] * m))
        father = better(losses, int(chance[2] * m), int(chance[3] * m))
        point = int(chance[5] * n) if chance[4] < crossover else n
        children[child, :point] = population[mother, :point]
        children[child, point:] = population[father, point:]
        for flip in chance[6:]:
            children[child, int(flip * n)] ^= 1
        repair(children[child], k)
        child_losses[child] = loss(values, children[child])


@kernel
def better(losses, a, b):
    """The one of two that loses less; the lower number if they lose the same."""
    if losses[a] == losses[b]:
        return smaller(a, b)
    return a if losses[a] < losses[b] else b


@kernel
def repair(bits, k):
    """Make every group hold k to 2k-1: drop a 1 that comes too early, add one that is due."""
    n, begin = bits.size, 0
    for i in range(1, n):
        size = i - begin
        due = size == 2 * k - 1 or (i == n - k and n - begin >= 2 * k)
        if size >= k and n - i >= k and (bits[i] != 0 or due):
            bits[i] = 1
            begin = i
        else:
            bits[i] = 0
    bits[0] = 1


@kernel
def loss(values, bits):
    """Sum of squares within the groups of a repaired string."""
    begin, total = 0, 0.0
    for i in range(1, values.size + 1):
        if i == values.size or bits[i] != 0:
            total += squares(values, begin, i)
            begin = i
    return total
