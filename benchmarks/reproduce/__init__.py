"""The printed figures of the papers, computed again.

`information_loss.csv` holds the 797 figures printed in five papers: data set, k, method, measure (IL in
percent, SSE, or a measure of risk), value and source; ``tarragona:Var3`` is the third column on its own.
`best_known.csv` holds the lowest information loss that could be read or recomputed anywhere, with its
source; values marked "recomputed" come from a published list of groups.
"""
