// Microaggregate numbers with the library of mu-ARGUS (libnumericalmu).
// Arguments: records, columns, k, and 1 for optimal groups of each column or 0 for groups of whole
// records. Numbers are read from standard input and written to standard output, separated by spaces.

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "MicroAggregation.h"

int main(int, char **arguments) {
    const long records = atol(arguments[1]), columns = atol(arguments[2]), k = atol(arguments[3]);
    const long optimal = atol(arguments[4]);
    double **data = new double *[records];
    for (long i = 0; i < records; i++) {
        data[i] = new double[columns];
        for (long j = 0; j < columns; j++)
            if (scanf("%lf", &data[i][j]) != 1) return 1;
    }
    long *order = new long[columns];
    for (long j = 0; j < columns; j++) order[j] = j + 1;
    std::vector<long> sizes(columns, 1);
    if (!optimal) sizes[0] = columns;
    CMicroAggregation library;
    if (library.Microaggregation(columns, records, k, optimal ? columns : 1, sizes.data(), order, data,
                                 optimal) != MIC_OK)
        return 2;
    for (long i = 0; i < records; i++)
        for (long j = 0; j < columns; j++) printf(j + 1 < columns ? "%.17g " : "%.17g\n", data[i][j]);
}
