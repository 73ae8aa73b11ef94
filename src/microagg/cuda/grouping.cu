// Grouping on a GPU: one kernel that stays resident, one block on each multiprocessor.
//
// The records are dealt out to the blocks at random. A query (which records left are nearest to a point,
// which is farthest?) is answered in three steps: each block screens its records in single precision, looks
// at the few that may matter in double precision, and publishes its answer; it waits for the answers of all
// blocks; and it merges them. Every block does the rest of the work redundantly, on the same numbers, so
// that one exchange per query is all the blocks need to agree.
//
// An exchange takes longer than the screening, so a query also looks ahead: while one group is formed, the
// same exchange answers the query of the next seed, which the rim predicts. The prediction is checked before
// it is used, and records that have left in the meantime are dropped from the answer; if the answer no longer
// suffices, or if the next seed is another record, the query is repeated.
//
// Decisions are those of the processor's kernels, bit for bit: squared distances are sums over the columns
// in order, without fused multiply-add (compiled with --fmad=false), and ties go to the lowest row. The
// screening allows for its rounding: |distance - screened distance| <= e_abs + e_rel * screened distance.
//
// Compiled with -DD=<columns>.

#define THREADS 512
#define WARPS 16
#define BATCH 16          // records that one query finds at most; no more than WARPS
#define OUTER 7           // outermost records that each block contributes to the rim
#define RIM 1024          // records on the rim at most: OUTER a block
#define BLOCKS 146        // blocks at most: RIM / OUTER
#define SHORTLIST 256     // records of a block that may matter, at either end; more take the slow way
#define LEAVING 40        // records that wait to be taken off the total at most
#define NEXT 3            // nearest records of the next seed that each block publishes
#define NEXT_FAR 2        // farthest ones
#define AHEAD 16          // nearest records of the next seed that are kept at most; no more than WARPS
#define AHEAD_FAR 3       // farthest ones
#define HALF 128          // entries of the next seed's shortlists
#define SLOTS (BATCH + 1 + NEXT + NEXT_FAR)  // what a block publishes at most in one exchange
#define NONE (-1)
#define TOO_MANY (-2)     // in place of a row: the block has too many candidates to answer ahead
#define ALL 0xffffffffu
#define INFINITE __longlong_as_double(0x7ff0000000000000LL)
#define INFINITE_F __int_as_float(0x7f800000)
#define GONE __int_as_float(0x7fffffff)

struct Answer {  // one record; each half of 8 bytes carries the number of its exchange, so that none is torn
    unsigned low, low_turn, high, high_turn, row, row_turn, spot, spot_turn;
};

struct Records {           // all of it in global memory
    const double *points;  // [n][D], by row
    float *screen;         // [blocks][D][capacity]: centred, scaled; NaN in the first column has left
    int *rows;             // [blocks][capacity]: the row of each place
    int *places;           // [n]: block * capacity + place
    int *lengths;          // [blocks]: places in use
    const double *centre;  // [D]
    double scale;          // screen = (points - centre) * scale
    float e_abs, e_rel;
    int capacity, caches_rows;
};

struct Task {
    int k, opposite, growth, enough;  // as `centroid_seeded`
    double gamma;                     // as `v_mdav`
    const int *order;                 // v_mdav: the seeds in their order
    int rounds;                       // rounds of this launch
    int looks_ahead;                  // whether there is room for the distances to the next seed
    int *labels;                      // [n]
    double *total;                    // [D]: the sum of the records left
    int *state;                       // left, label, next in `order`, finished, turn of the exchange
    int *members, *near;              // [blocks][2k]: scratch of v_mdav
    double *gaps;                     // [blocks][2k]
    Answer *answers;                  // [2][blocks][SLOTS]: nearest, farthest, and those of the next seed
    unsigned *arrived;                // counts the blocks that wait
};

// What this launch works on, copied from the arguments; the same in every block.
__shared__ Records records;
__shared__ Task task;
__shared__ unsigned turn;          // number of the exchange
__shared__ unsigned goal;          // arrivals after which the next wait is over
__shared__ double point[D];        // the query
__shared__ float query[D];         // the query, centred and scaled
__shared__ double total[D];
__shared__ double near_distances[BATCH];
__shared__ int near_rows[BATCH];
__shared__ double far_distance;
__shared__ int far_row;
__shared__ int listed, listed_far;
__shared__ int shortlist[2 * SHORTLIST];
__shared__ int chosen[SHORTLIST];
__shared__ double leaving[LEAVING * D];
__shared__ double warp_values[WARPS];
__shared__ int warp_rows[WARPS];
__shared__ float2 warp_limits[WARPS];
__shared__ int left_records, alive_here, length_here;
__shared__ int rim_rows[RIM];      // the outermost records; NONE where one has left
__shared__ float rim_reaches[RIM]; // the distance of each to `anchor`, rounded up
__shared__ double anchor[D];       // the mean when the rim was built
__shared__ double beyond;          // no record off the rim is farther from `anchor`
__shared__ int has_beyond;         // whether there is any
__shared__ int seeds[1];
__shared__ double group_total[D];
__shared__ double centre[D];
__shared__ int leaving_rows[LEAVING], leaving_count;  // in order; not yet taken off `total`
__shared__ int near_spots[BATCH];  // block * capacity + place of each of `near_rows`
__shared__ const int *own_rows;    // the row of each place of this block
__shared__ double mean[D];         // the mean at the beginning of the round
__shared__ int foreseen;           // the seed whose query was answered ahead, or NONE
__shared__ double next_point[D];   // its record
__shared__ float next_query[D];    // centred and scaled
__shared__ int ahead_rows[AHEAD], ahead_far[AHEAD_FAR];  // its nearest and farthest records, in order
__shared__ int ahead_listed[2];    // candidates for both
__shared__ int ahead_certain[2];   // how many of each are certain
__shared__ int ahead_failed;       // a block had too many candidates
__shared__ int ahead_chosen[2 * HALF];
__shared__ float2 warp_next[WARPS];
__shared__ int recalled;
extern __shared__ double dynamic[];
#define list_distances dynamic  // [BLOCKS * BATCH]
#define list_rows ((int *)(dynamic + BLOCKS * BATCH))
#define list_spots (list_rows + BLOCKS * BATCH)
#define screened ((float *)(list_spots + BLOCKS * BATCH))  // the screened squared distance of each place
#define screened_next (screened + records.capacity)        // the same for the next seed, if it is looked ahead
#define cached_rows ((int *)(screened + (task.looks_ahead ? 2 : 1) * records.capacity))  // where there is room

__device__ __forceinline__ double exact_distance(int row, const double *to) {
    const double *record = records.points + (size_t)row * D;
    double sum = 0.0;
#pragma unroll
    for (int j = 0; j < D; j++) {
        double t = record[j] - to[j];
        sum = sum + t * t;
    }
    return sum;
}

// A single-precision number that is not below x; never a denormal one, which the GPU may take for zero.
__device__ __forceinline__ float round_up(double x) {
    float up = __double2float_ru(x);
    return x > 0 ? fmaxf(up, 1.17549435e-38f) : up;
}

__device__ __forceinline__ bool precedes(double a, int a_row, double b, int b_row) {
    return a < b || (a == b && a_row < b_row);
}

// The m-th smallest (from 1) of the warps' smallest `value`, and the largest `other` of all. One barrier
// inside, none at the end: there must be another before the next call.
__device__ __noinline__ float2 find_limits(float value, int m, float other) {
    int lane = threadIdx.x & 31;
#pragma unroll
    for (int shift = 16; shift; shift >>= 1) {
        value = fminf(value, __shfl_xor_sync(ALL, value, shift));
        other = fmaxf(other, __shfl_xor_sync(ALL, other, shift));
    }
    if (lane == 0) warp_limits[threadIdx.x >> 5] = make_float2(value, other);
    __syncthreads();
    float2 mine = lane < WARPS ? warp_limits[lane] : make_float2(INFINITE_F, -INFINITE_F);
    other = mine.y;
#pragma unroll
    for (int shift = WARPS / 2; shift; shift >>= 1) other = fmaxf(other, __shfl_xor_sync(ALL, other, shift));
    other = __shfl_sync(ALL, other, 0);
    int rank = 0;
    if (m > 1) {
#pragma unroll
        for (int i = 0; i < WARPS; i++) {
            float theirs = __shfl_sync(ALL, mine.x, i);
            rank += theirs < mine.x || (theirs == mine.x && i < lane);
        }
        unsigned here = __ballot_sync(ALL, lane < WARPS && rank == m - 1);
        return make_float2(__shfl_sync(ALL, mine.x, __ffs(here) - 1), other);
    }
    value = mine.x;
#pragma unroll
    for (int shift = WARPS / 2; shift; shift >>= 1) value = fminf(value, __shfl_xor_sync(ALL, value, shift));
    return make_float2(__shfl_sync(ALL, value, 0), other);
}

// The m-th smallest of the warps' smallest `value`, and the same for `other`. Barriers as in `find_limits`.
__device__ __noinline__ float2 find_next_limits(float value, int m, float other, int other_m) {
    int lane = threadIdx.x & 31;
#pragma unroll
    for (int shift = 16; shift; shift >>= 1) {
        value = fminf(value, __shfl_xor_sync(ALL, value, shift));
        other = fminf(other, __shfl_xor_sync(ALL, other, shift));
    }
    if (lane == 0) warp_next[threadIdx.x >> 5] = make_float2(value, other);
    __syncthreads();
    float2 mine = lane < WARPS ? warp_next[lane] : make_float2(INFINITE_F, INFINITE_F);
    int rank = 0, other_rank = 0;
#pragma unroll
    for (int i = 0; i < WARPS; i++) {
        float theirs = __shfl_sync(ALL, mine.x, i), theirs_too = __shfl_sync(ALL, mine.y, i);
        rank += theirs < mine.x || (theirs == mine.x && i < lane);
        other_rank += theirs_too < mine.y || (theirs_too == mine.y && i < lane);
    }
    unsigned here = __ballot_sync(ALL, lane < WARPS && rank == m - 1);
    unsigned there = __ballot_sync(ALL, lane < WARPS && other_rank == other_m - 1);
    return make_float2(__shfl_sync(ALL, mine.x, __ffs(here) - 1), __shfl_sync(ALL, mine.y, __ffs(there) - 1));
}

__device__ __forceinline__ void first_of_warp(double &mine, int &row) {
    for (int shift = 16; shift; shift >>= 1) {
        double theirs = __shfl_xor_sync(ALL, mine, shift);
        int their_row = __shfl_xor_sync(ALL, row, shift);
        if (their_row != NONE && (row == NONE || precedes(theirs, their_row, mine, row))) {
            mine = theirs;
            row = their_row;
        }
    }
}

// The first by (distance, row) of all threads' own. Barriers before, inside and at the end.
__device__ __noinline__ void first_of_all(double mine, int row, double *distance, int *first) {
    first_of_warp(mine, row);
    __syncthreads();
    if ((threadIdx.x & 31) == 0) {
        warp_values[threadIdx.x >> 5] = mine;
        warp_rows[threadIdx.x >> 5] = row;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = threadIdx.x < WARPS ? warp_values[threadIdx.x] : INFINITE;
        row = threadIdx.x < WARPS ? warp_rows[threadIdx.x] : NONE;
        first_of_warp(mine, row);
        if (threadIdx.x == 0) {
            *distance = row == NONE ? INFINITE : mine;
            *first = row;
        }
    }
    __syncthreads();
}

__device__ __forceinline__ Answer *answer_at(int block, int at) {
    return task.answers + ((size_t)(turn & 1) * gridDim.x + block) * SLOTS + at;
}

__device__ __forceinline__ void publish(int at, double distance, int row, int place) {
    unsigned long long bits = __double_as_longlong(distance);
    volatile uint4 *out = (volatile uint4 *)answer_at(blockIdx.x, at);
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(out), "r"((unsigned)bits), "r"(turn),
                 "r"((unsigned)(bits >> 32)), "r"(turn) : "memory");
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(out + 1), "r"((unsigned)row), "r"(turn),
                 "r"((unsigned)(blockIdx.x * records.capacity + place)), "r"(turn) : "memory");
}

// Wait for what a block publishes in this turn.
__device__ __forceinline__ void receive(int block, int at, double &distance, int &row, int &spot) {
    volatile uint4 *in = (volatile uint4 *)answer_at(block, at);
    unsigned low, high, a, b, c, d;
    do {
        asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(low), "=r"(a), "=r"(high), "=r"(b) : "l"(in) : "memory");
        asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(row), "=r"(c), "=r"(spot), "=r"(d) : "l"(in + 1) : "memory");
    } while (a != turn || b != turn || c != turn || d != turn);
    distance = __longlong_as_double((long long)(((unsigned long long)high << 32) | low));
}

// To be called after a barrier, and before one.
__device__ __forceinline__ void next_turn() {
    if (threadIdx.x == 0) turn++;
}

// Wait for all blocks, and for what they wrote.
__device__ __noinline__ void wait_for_all() {
    __syncthreads();
    if (threadIdx.x == 0) {
        goal += gridDim.x;
        __threadfence();
        atomicAdd(task.arrived, 1);
        while (*(volatile unsigned *)task.arrived < goal) {}
        __threadfence();
    }
    __syncthreads();
}

__device__ __forceinline__ void go_to_row(int row) {
    __syncthreads();
    if (threadIdx.x < D) {
        double at = records.points[(size_t)row * D + threadIdx.x];
        point[threadIdx.x] = at;
    }
    __syncthreads();
}

// Screen all places of this block for `point`. Returns this thread's smallest and largest squared distance.
__device__ __noinline__ void scan(float *low, float *high) {
    if (threadIdx.x < D)
        query[threadIdx.x] = (float)((point[threadIdx.x] - centre[threadIdx.x]) * records.scale);
    __syncthreads();
    const size_t capacity = records.capacity;
    float *columns = records.screen + (size_t)blockIdx.x * D * capacity;
    float least = INFINITE_F, most = -1.0f;
    float q[D];
#pragma unroll
    for (int j = 0; j < D; j++) q[j] = query[j];
    const int length = length_here;
#pragma unroll 2
    for (int i = threadIdx.x; i < length; i += THREADS) {
        float sum = 0.0f;
#pragma unroll
        for (int j = 0; j < D; j++) {
            float t = columns[j * capacity + i] - q[j];
            sum = fmaf(t, t, sum);
        }
        screened[i] = sum;
        least = fminf(least, sum);
        most = fmaxf(most, sum);
    }
    *low = least;
    *high = most;
}

// As `scan`, for `next_point` at the same time: the records are read once.
__device__ __noinline__ void scan_both(int next, float *low, float *next_low, float *next_high) {
    if (threadIdx.x < D) {
        double at = records.points[(size_t)next * D + threadIdx.x];
        next_point[threadIdx.x] = at;
        next_query[threadIdx.x] = (float)((at - centre[threadIdx.x]) * records.scale);
        query[threadIdx.x] = (float)((point[threadIdx.x] - centre[threadIdx.x]) * records.scale);
    }
    __syncthreads();
    const size_t capacity = records.capacity;
    float *columns = records.screen + (size_t)blockIdx.x * D * capacity;
    float least = INFINITE_F, next_least = INFINITE_F, next_most = -1.0f;
    float q[D], p[D];
#pragma unroll
    for (int j = 0; j < D; j++) {
        q[j] = query[j];
        p[j] = next_query[j];
    }
    const int length = length_here;
#pragma unroll 2
    for (int i = threadIdx.x; i < length; i += THREADS) {
        float sum = 0.0f, next_sum = 0.0f;
#pragma unroll
        for (int j = 0; j < D; j++) {
            float value = columns[j * capacity + i], t = value - q[j], u = value - p[j];
            sum = fmaf(t, t, sum);
            next_sum = fmaf(u, u, next_sum);
        }
        screened[i] = sum;
        screened_next[i] = next_sum;
        least = fminf(least, sum);
        next_least = fminf(next_least, next_sum);
        next_most = fmaxf(next_most, next_sum);
    }
    *low = least;
    *next_low = next_least;
    *next_high = next_most;
}

// The screened squared distance up to which a record may be as near as one at `threshold`.
__device__ __forceinline__ float reach_below(float threshold) {
    if (!(threshold < 3e38f)) return INFINITE_F;
    float root = sqrtf(threshold);
    float reach = (root + root * records.e_rel + 2 * records.e_abs) / (1 - records.e_rel);
    return reach * reach * 1.000001f;
}

// The screened squared distance from which on a record may be as far as one at `threshold`.
__device__ __forceinline__ float reach_above(float threshold) {
    if (!(threshold > 0)) return 0.0f;
    float root = sqrtf(threshold);
    float reach = (root - root * records.e_rel - 2 * records.e_abs) / (1 + records.e_rel);
    return reach > 0 ? reach * reach * 0.999999f : 0.0f;
}

// Publish this block's m first by (sign * distance, row) one after the other: where very many may matter.
__device__ __noinline__ void publish_one_by_one(int sign, float limit, int m, int to) {
    double last = -INFINITE;
    int last_row = NONE;
    bool more = true;
    for (int at = 0; at < m; at++) {
        double best = INFINITE;
        int best_row = NONE;
        for (int i = threadIdx.x; more && i < length_here; i += THREADS) {
            float s = screened[i];
            if (!(sign > 0 ? s <= limit : s >= limit)) continue;
            int row = own_rows[i];
            double distance = sign * exact_distance(row, point);
            if (precedes(last, last_row, distance, row) &&
                (best_row == NONE || precedes(distance, row, best, best_row))) {
                best = distance;
                best_row = row;
            }
        }
        first_of_all(best, best_row, &list_distances[0], &list_rows[0]);
        last = list_distances[0];
        last_row = list_rows[0];
        more = more && last_row != NONE;
        if (threadIdx.x == 0)
            publish(to + at, last, last_row, last_row == NONE ? 0 : records.places[last_row] % records.capacity);
        __syncthreads();
    }
}

// Publish the m first of a shortlist; thread t of the half that works on it has the exact distance of entry t.
__device__ __forceinline__ void publish_ranked(int t, int count, int first, int m, int to) {
    if (t < count) {
        double mine = list_distances[first + t];
        int row = list_rows[first + t], rank = 0;
        for (int other = 0; other < count; other++)
            rank += precedes(list_distances[first + other], list_rows[first + other], mine, row);
        if (rank < m) publish(to + rank, mine, row, shortlist[first + t]);
    } else if (t < m) {
        publish(to + t, INFINITE, NONE, 0);
    }
}

// Publish this block's m nearest (sign 1, m <= BATCH) or outermost (sign -1) records and, where asked, its
// farthest, after a scan that found `low` and `high`.
__device__ __noinline__ void publish_extremes(float low, float high, int sign, int m, bool far) {
    if (threadIdx.x == 0) listed = listed_far = 0;
    float limit = INFINITE_F, far_limit = INFINITE_F;
    float2 limits = find_limits(sign > 0 ? low : -high, max(m, 1), high);
    if (m > 0) limit = sign > 0 ? reach_below(limits.x) : reach_above(-limits.x);
    if (far) far_limit = reach_above(limits.y);
    if (m > 0 || far) {
        bool mine = m > 0 && (sign > 0 ? low <= limit : high >= limit), mine_far = far && high >= far_limit;
        if (mine || mine_far)
            for (int i = threadIdx.x; i < length_here; i += THREADS) {
                float s = screened[i];
                if (mine && (sign > 0 ? s <= limit : s >= limit)) {
                    int at = atomicAdd(&listed, 1);
                    if (at < SHORTLIST) shortlist[at] = i;
                }
                if (mine_far && s >= far_limit) {
                    int at = atomicAdd(&listed_far, 1);
                    if (at < SHORTLIST) shortlist[SHORTLIST + at] = i;
                }
            }
    }
    __syncthreads();
    int count = listed, count_far = listed_far, t = threadIdx.x & (SHORTLIST - 1);
    bool upper = threadIdx.x >= SHORTLIST;
    if (t < (upper ? count_far : count)) {
        int row = own_rows[shortlist[threadIdx.x]];
        list_distances[threadIdx.x] = (upper || sign < 0 ? -1 : 1) * exact_distance(row, point);
        list_rows[threadIdx.x] = row;
    }
    __syncthreads();
    if (!upper && count <= SHORTLIST) publish_ranked(t, count, 0, m, 0);
    if (upper && far && count_far <= SHORTLIST) publish_ranked(t, count_far, SHORTLIST, 1, BATCH);
    __syncthreads();
    if (count > SHORTLIST) publish_one_by_one(sign, limit, m, 0);
    if (count_far > SHORTLIST) publish_one_by_one(-1, far_limit, 1, BATCH);
}

// Choose the entries that may be among the nearest. A barrier at the end.
__device__ __forceinline__ void choose_nearest(int entries, double limit) {
    for (int i = threadIdx.x; i < entries; i += THREADS)
        if (list_distances[i] <= limit && list_rows[i] != NONE) {
            int at = atomicAdd(&listed, 1);
            if (at < SHORTLIST) chosen[at] = i;
        }
    __syncthreads();
}

// Sort the chosen entries: `near_*`. A barrier at the end.
__device__ __noinline__ void rank_nearest(int entries, int m) {
    int count = listed;
    if (count <= SHORTLIST) {
        if (threadIdx.x < count) {
            int i = chosen[threadIdx.x], rank = 0;
            for (int other = 0; other < count; other++)
                rank += precedes(list_distances[chosen[other]], list_rows[chosen[other]], list_distances[i], list_rows[i]);
            if (rank < m) {
                near_distances[rank] = list_distances[i];
                near_rows[rank] = list_rows[i];
                near_spots[rank] = list_spots[i];
            }
        }
        __syncthreads();
        return;
    }
    double last = -INFINITE;  // many ties: one after the other
    int last_row = NONE;
    for (int at = 0; at < m; at++) {
        double best = INFINITE;
        int best_row = NONE;
        for (int i = threadIdx.x; i < entries; i += THREADS)
            if (list_rows[i] != NONE && precedes(last, last_row, list_distances[i], list_rows[i]) &&
                (best_row == NONE || precedes(list_distances[i], list_rows[i], best, best_row))) {
                best = list_distances[i];
                best_row = list_rows[i];
            }
        first_of_all(best, best_row, &near_distances[at], &near_rows[at]);
        last = near_distances[at];
        last_row = near_rows[at];
        for (int i = threadIdx.x; i < entries; i += THREADS)
            if (list_rows[i] == last_row) near_spots[at] = list_spots[i];
    }
}

// Publish the first of the next seed's shortlist; `half` is 0 for the nearest and 1 for the farthest.
__device__ __forceinline__ void publish_next(int half) {
    int t = threadIdx.x & (HALF - 1), count = ahead_listed[half], m = half ? NEXT_FAR : NEXT;
    int to = BATCH + 1 + half * NEXT;
    if (count <= HALF)
        publish_ranked(t, count, SHORTLIST + half * HALF, m, to);
    else if (t < m)
        publish(to + t, -INFINITE, TOO_MANY, 0);
}

// Publish this block's m nearest records, and the nearest and farthest of the next seed, after `scan_both`.
__device__ __noinline__ void publish_both(float low, int m, float next_low, float next_high) {
    if (threadIdx.x == 0) listed = ahead_listed[0] = ahead_listed[1] = 0;
    float limit = reach_below(find_limits(low, m, 0.0f).x);
    float2 limits = find_next_limits(next_low, NEXT, -next_high, NEXT_FAR);
    float next_limit = reach_below(limits.x), next_far_limit = reach_above(-limits.y);
    if (low <= limit || next_low <= next_limit || next_high >= next_far_limit)
        for (int i = threadIdx.x; i < length_here; i += THREADS) {
            if (screened[i] <= limit) {
                int at = atomicAdd(&listed, 1);
                if (at < SHORTLIST) shortlist[at] = i;
            }
            float s = screened_next[i];
            if (s <= next_limit) {
                int at = atomicAdd(&ahead_listed[0], 1);
                if (at < HALF) shortlist[SHORTLIST + at] = i;
            }
            if (s >= next_far_limit) {
                int at = atomicAdd(&ahead_listed[1], 1);
                if (at < HALF) shortlist[SHORTLIST + HALF + at] = i;
            }
        }
    __syncthreads();
    int count = listed, half = threadIdx.x >= SHORTLIST + HALF;
    bool upper = threadIdx.x >= SHORTLIST;
    if (upper ? (threadIdx.x & (HALF - 1)) < ahead_listed[half] : threadIdx.x < count) {
        int row = own_rows[shortlist[threadIdx.x]];
        list_distances[threadIdx.x] = (half ? -1 : 1) * exact_distance(row, upper ? next_point : point);
        list_rows[threadIdx.x] = row;
    }
    __syncthreads();
    if (upper)
        publish_next(half);
    else if (count <= SHORTLIST)
        publish_ranked(threadIdx.x, count, 0, m, 0);
    __syncthreads();
    if (count > SHORTLIST) publish_one_by_one(1, limit, m, 0);
}

// Receive one entry of the next seed, if this thread has one: the entries are spread over all warps, so that
// the warps' first ones tell a limit. Returns its index in `list_*`, or NONE.
__device__ __forceinline__ int receive_next(int half, int first, float *least) {
    int m = half ? NEXT_FAR : NEXT, entries = gridDim.x * m;
    int i = (threadIdx.x * entries + THREADS - 1) / THREADS;
    *least = INFINITE_F;
    if (i >= entries || i * THREADS >= (threadIdx.x + 1) * entries) return NONE;
    int at = first + i;
    receive(i / m, BATCH + 1 + half * NEXT + i % m, list_distances[at], list_rows[at], list_spots[at]);
    if (list_rows[at] == TOO_MANY) ahead_failed = 1;
    *least = round_up(list_distances[at]);
    return at;
}

__device__ __forceinline__ void choose_next(int half, int at, double limit) {
    if (at == NONE || list_rows[at] < 0 || !(list_distances[at] <= limit)) return;
    int place = atomicAdd(&ahead_listed[half], 1);
    if (place < HALF) ahead_chosen[half * HALF + place] = at;
}

// Sort the next seed's entries. No record is missing before the first entry that is the last of its block.
__device__ __forceinline__ void rank_next(int half, int first) {
    int t = threadIdx.x & (HALF - 1), count = ahead_listed[half], m = half ? NEXT_FAR : NEXT;
    if (count > HALF || t >= count) return;
    const int *chosen_here = ahead_chosen + half * HALF;
    int i = chosen_here[t], rank = 0;
    for (int other = 0; other < count; other++)
        rank += precedes(list_distances[chosen_here[other]], list_rows[chosen_here[other]], list_distances[i], list_rows[i]);
    if (rank < (half ? AHEAD_FAR : AHEAD)) (half ? ahead_far : ahead_rows)[rank] = list_rows[i];
    if ((i - first) % m == m - 1) atomicMin(&ahead_certain[half], rank + 1);
}

// Receive the m nearest of every block, and both lists of the next seed: `near_*` and `ahead_*`.
__device__ __noinline__ void merge_both(int m, int next) {
    int entries = gridDim.x * m, first_far = entries + gridDim.x * NEXT;
    float least = INFINITE_F, next_least, far_least;
    if (threadIdx.x == 0) {
        listed = ahead_listed[0] = ahead_listed[1] = ahead_failed = 0;
        ahead_certain[0] = AHEAD;
        ahead_certain[1] = AHEAD_FAR;
        foreseen = next;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < entries; i += THREADS) {
        receive(i / m, i % m, list_distances[i], list_rows[i], list_spots[i]);
        least = fminf(least, round_up(list_distances[i]));
    }
    int at = receive_next(0, entries, &next_least), at_far = receive_next(1, first_far, &far_least);
    double limit = find_limits(least, m, 0.0f).x;
    float2 limits = find_next_limits(next_least, min(AHEAD, task.k + NEXT), far_least, AHEAD_FAR);
    choose_next(0, at, limits.x);
    choose_next(1, at_far, limits.y);
    choose_nearest(entries, limit);
    if (threadIdx.x >= SHORTLIST) rank_next(threadIdx.x >= SHORTLIST + HALF, threadIdx.x >= SHORTLIST + HALF ? first_far : entries);
    rank_nearest(entries, m);
}

// Receive the m nearest of every block and, where asked, the farthest: `near_*` and `far_*`.
__device__ __noinline__ void merge(int m, bool far) {
    int entries = gridDim.x * m;
    float least = INFINITE_F;
    if (threadIdx.x == 0) listed = 0;
    if (far && threadIdx.x < 32) {
        double best = INFINITE;
        int best_row = NONE;
        for (int block = threadIdx.x; block < gridDim.x; block += 32) {
            double distance;
            int row, spot;
            receive(block, BATCH, distance, row, spot);
            if (row != NONE && (best_row == NONE || precedes(distance, row, best, best_row))) {
                best = distance;
                best_row = row;
            }
        }
        first_of_warp(best, best_row);
        if (threadIdx.x == 0) {
            far_distance = best;
            far_row = best_row;
        }
    }
    for (int i = threadIdx.x; i < entries; i += THREADS) {
        receive(i / m, i % m, list_distances[i], list_rows[i], list_spots[i]);
        least = fminf(least, round_up(list_distances[i]));
    }
    if (m == 0) {
        __syncthreads();
        return;
    }
    choose_nearest(entries, find_limits(least, m, 0.0f).x);
    rank_nearest(entries, m);
}

// The m nearest records left (m <= BATCH) and, where asked, the farthest, after a scan.
__device__ __forceinline__ void ask(float low, float high, int m, bool far) {
    publish_extremes(low, high, 1, m, far);
    merge(m, far);
    next_turn();
}

// The m nearest records left, and ahead those of the next seed, after `scan_both`.
__device__ __forceinline__ void ask_both(float low, int m, int next, float next_low, float next_high) {
    publish_both(low, m, next_low, next_high);
    merge_both(m, next);
    next_turn();
}

__device__ __noinline__ void build_rim() {
    float low, high;
    scan(&low, &high);
    __syncthreads();
    publish_extremes(low, high, -1, OUTER, false);
    if (threadIdx.x == 0) {
        beyond = 0.0;
        has_beyond = 0;
    }
    if (threadIdx.x < D) anchor[threadIdx.x] = point[threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.x; i < RIM; i += THREADS) {
        rim_rows[i] = NONE;
        if (i >= gridDim.x * OUTER) continue;
        double distance;
        int row, spot;
        receive(i / OUTER, i % OUTER, distance, row, spot);
        if (row == NONE) continue;
        distance = sqrt(-distance) * (1 + 1e-14);
        rim_rows[i] = row;
        rim_reaches[i] = round_up(distance);
        if (i % OUTER == OUTER - 1) {  // positive numbers are ordered as their bits
            atomicMax((unsigned long long *)&beyond, (unsigned long long)__double_as_longlong(distance));
            has_beyond = 1;
        }
    }
    __syncthreads();
    next_turn();
    __syncthreads();
}

// The record left, except one, that is farthest from `point` where the rim can tell, else NONE. The same in
// every block.
__device__ __noinline__ int farthest_on_rim(int except) {
    double moved = 0.0;
    for (int j = 0; j < D; j++) {
        double t = point[j] - anchor[j];
        moved += t * t;
    }
    moved = sqrt(moved) * (1 + 1e-14);
    float largest = -1.0f;
    for (int i = threadIdx.x; i < RIM; i += THREADS)
        if (rim_rows[i] != NONE && rim_rows[i] != except) largest = fmaxf(largest, rim_reaches[i]);
    double most = find_limits(0.0f, 1, largest).y;
    if (!(most >= 0)) {
        __syncthreads();
        return NONE;
    }
    double best = INFINITE;
    int best_row = NONE;
    for (int i = threadIdx.x; i < RIM; i += THREADS) {
        int row = rim_rows[i];
        if (row == NONE || row == except || rim_reaches[i] < most * (1 - 1e-6) - 2 * moved) continue;
        double distance = -exact_distance(row, point);
        if (best_row == NONE || precedes(distance, row, best, best_row)) {
            best = distance;
            best_row = row;
        }
    }
    first_of_all(best, best_row, &far_distance, &far_row);
    if (has_beyond && !(sqrt(-far_distance) * (1 - 1e-14) > (beyond + moved) * (1 + 1e-14))) return NONE;
    return far_row;
}

__device__ __forceinline__ void mark_as_gone(int spot) {
    int place = spot - blockIdx.x * records.capacity;
    if (place >= 0 && place < records.capacity) {
        records.screen[(size_t)blockIdx.x * D * records.capacity + place] = GONE;
        screened[place] = GONE;
        atomicSub(&alive_here, 1);
    }
}

__device__ __forceinline__ void leave_rim(const int *rows, int count) {
#pragma unroll
    for (int i = 0; i < RIM; i += THREADS) {
        int mine = rim_rows[i + threadIdx.x];
        bool leaves = false;
        for (int j = 0; j < count; j++) leaves |= mine == rows[j];
        if (leaves) rim_rows[i + threadIdx.x] = NONE;
    }
}

// Take those that left off the total, in the order in which they left. Barriers before and at the end.
__device__ __noinline__ void settle() {
    __syncthreads();
    int count = leaving_count;
    for (int i = threadIdx.x; i < count * D; i += THREADS)
        leaving[i] = records.points[(size_t)leaving_rows[i / D] * D + i % D];
    __syncthreads();
    if (threadIdx.x < D)
        for (int i = 0; i < count; i++) total[threadIdx.x] -= leaving[i * D + threadIdx.x];
    if (threadIdx.x == 0) leaving_count = 0;
    __syncthreads();
}

// Take records out, at most BATCH. To be called after a barrier; one at the end.
__device__ __noinline__ void take_out(const int *rows, const int *spots, int count) {
    if (leaving_count + count > LEAVING) settle();
    if (threadIdx.x < count) {
        mark_as_gone(spots[threadIdx.x]);
        leaving_rows[leaving_count + threadIdx.x] = rows[threadIdx.x];
    }
    leave_rim(rows, count);
    __syncthreads();
    if (threadIdx.x == 0) {
        left_records -= count;
        leaving_count += count;
    }
    __syncthreads();
}

__device__ void label_rows(const int *rows, int count, int label) {
    if (blockIdx.x == 0 && threadIdx.x < count) task.labels[rows[threadIdx.x]] = label;
}

// Keep the rows of this block's places where they are read fast, if there is room.
__device__ void load_rows() {
    const int *rows = records.rows + (size_t)blockIdx.x * records.capacity;
    if (threadIdx.x == 0) own_rows = records.caches_rows ? cached_rows : rows;
    if (records.caches_rows)
        for (int i = threadIdx.x; i < length_here; i += THREADS) cached_rows[i] = rows[i];
    __syncthreads();
}

// Move the records left to the front of this block's places.
__device__ __noinline__ void compact() {
    float *columns = records.screen + (size_t)blockIdx.x * D * records.capacity;
    int *rows = records.rows + (size_t)blockIdx.x * records.capacity;
    __shared__ int begin, counts[WARPS];
    int length = length_here, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (threadIdx.x == 0) begin = 0;
    for (int first = 0; first < length; first += THREADS) {
        int i = first + threadIdx.x, row = NONE;
        float values[D];
        bool alive = false;
        if (i < length) {
            for (int j = 0; j < D; j++) values[j] = columns[(size_t)j * records.capacity + i];
            alive = values[0] == values[0];
            row = rows[i];
        }
        unsigned mask = __ballot_sync(ALL, alive);
        if (lane == 0) counts[warp] = __popc(mask);
        __syncthreads();
        int at = begin + __popc(mask & ((1u << lane) - 1));
        for (int w = 0; w < warp; w++) at += counts[w];
        if (alive) {
            for (int j = 0; j < D; j++) columns[(size_t)j * records.capacity + at] = values[j];
            rows[at] = row;
            records.places[row] = blockIdx.x * records.capacity + at;
        }
        __syncthreads();
        if (threadIdx.x == 0)
            for (int w = 0; w < WARPS; w++) begin += counts[w];
        __syncthreads();
    }
    if (threadIdx.x == 0) length_here = begin;
    __syncthreads();
    load_rows();
}

// Group and take out the m records of `near_*`; returns the opposite record, or NONE if it is one of them.
__device__ __forceinline__ int take_found(int m, int done, int label, int opposite) {
    label_rows(near_rows, m, label);
    if (task.members) for (int i = threadIdx.x; i < m; i += THREADS)
        task.members[(size_t)blockIdx.x * 2 * task.k + 1 + done + i] = near_rows[i];
    for (int i = 0; i < m; i++)
        if (near_rows[i] == opposite) opposite = NONE;
    take_out(near_rows, near_spots, m);
    return opposite;
}

// Group the `count` records nearest to `point` and take them out; returns the farthest, or NONE if it joined.
__device__ __noinline__ int take_nearest(int count, int label, bool far) {
    float low, high;
    int opposite = NONE;
    scan(&low, &high);
    for (int done = 0; done < count;) {
        int m = min(BATCH, count - done);
        if (done > 0) {
            low = INFINITE_F;
            for (int i = threadIdx.x; i < length_here; i += THREADS) low = fminf(low, screened[i]);
        }
        __syncthreads();
        ask(low, high, m, far && done == 0);
        if (far && done == 0) opposite = far_row;
        opposite = take_found(m, done, label, opposite);
        done += m;
    }
    return opposite;
}

// As `take_nearest`, and look ahead at the next seed.
__device__ __noinline__ void take_nearest_and_look_ahead(int label, int next) {
    float low, next_low, next_high;
    scan_both(next, &low, &next_low, &next_high);
    __syncthreads();
    ask_both(low, task.k - 1, next, next_low, next_high);
    take_found(task.k - 1, 0, label, NONE);
}

// Write the nearest records of a foreseen seed to `near_*`, and its farthest to `far_row`, without those that
// have left since: the members of the last group, which are in `near_rows`. False if too few are certain.
__device__ __noinline__ bool recall(int seed, bool far) {
    __syncthreads();
    if (threadIdx.x < 32) {
        int lane = threadIdx.x, others = task.k - 1;
        int count = min(ahead_certain[0], min(ahead_listed[0], min(AHEAD, task.k + NEXT)));
        int count_far = min(ahead_certain[1], min(ahead_listed[1], AHEAD_FAR));
        int row = lane < count ? ahead_rows[lane] : NONE, away = lane < count_far ? ahead_far[lane] : NONE;
        if (row == seed) row = NONE;
        if (away == seed) away = NONE;
        for (int i = 0; i < others; i++) {
            if (row == near_rows[i]) row = NONE;
            if (away == near_rows[i]) away = NONE;
        }
        unsigned nearest = __ballot_sync(ALL, row != NONE), farthest = __ballot_sync(ALL, away != NONE);
        bool enough = !ahead_failed && ahead_listed[0] <= HALF && ahead_listed[1] <= HALF &&
                      __popc(nearest) >= others && (farthest || !far);
        int at = __popc(nearest & ((1u << lane) - 1));
        away = __shfl_sync(ALL, away, farthest ? __ffs(farthest) - 1 : 0);
        if (enough && row != NONE && at < others) {
            near_rows[at] = row;
            near_spots[at] = records.places[row];
        }
        if (lane == 0) {
            recalled = enough;
            far_row = away;
        }
    }
    __syncthreads();
    return recalled;
}

__device__ __noinline__ int farthest_of_all() {
    float low, high;
    scan(&low, &high);
    __syncthreads();
    ask(low, high, 0, true);
    return far_row;
}

// One by one, the record nearest to the group's running mean.
__device__ __noinline__ void take_nearest_to_mean(int label) {
    float low, high;
    if (threadIdx.x < D) group_total[threadIdx.x] = point[threadIdx.x];
    for (int size = 1; size < task.k; size++) {
        __syncthreads();
        if (threadIdx.x < D) point[threadIdx.x] = group_total[threadIdx.x] / size;
        __syncthreads();
        scan(&low, &high);
        __syncthreads();
        ask(low, high, 1, false);
        int row = near_rows[0];
        if (threadIdx.x < D) group_total[threadIdx.x] += records.points[(size_t)row * D + threadIdx.x];
        label_rows(near_rows, 1, label);
        take_out(near_rows, near_spots, 1);
    }
}

// Go to a record, and take it out. A barrier before; there must be another before `leaving_count` and
// `left_records` are read.
__device__ __forceinline__ void take_seed(int row) {
    __syncthreads();
    int waiting = leaving_count;
    if (waiting == LEAVING) {
        settle();
        waiting = 0;
    }
    if (threadIdx.x < D) point[threadIdx.x] = records.points[(size_t)row * D + threadIdx.x];
    if (threadIdx.x == THREADS - 1) {
        mark_as_gone(records.places[row]);
        leaving_rows[waiting] = row;
    }
    leave_rim(&row, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        leaving_count = waiting + 1;
        left_records--;
    }
}

// Form a group around a record, and look ahead at the `next` seed unless it is NONE; returns as `take_nearest`.
__device__ __noinline__ int grow(int seed, int label, bool far, int next) {
    bool expected = seed == foreseen;
    take_seed(seed);
    if (blockIdx.x == 0 && threadIdx.x == 0) task.labels[seed] = label;
    if (threadIdx.x == 0) foreseen = NONE;
    if (expected && recall(seed, far)) return take_found(task.k - 1, 0, label, far ? far_row : NONE);
    if (task.growth != 0)
        take_nearest_to_mean(label);
    else if (next == NONE)
        return take_nearest(task.k - 1, label, far);
    else
        take_nearest_and_look_ahead(label, next);
    return NONE;
}

// The record that will be the next seed, unless the group of `seed` or the shift of the mean changes that.
__device__ __forceinline__ int predict(int seed) {
    if (!task.looks_ahead || task.growth != 0) return NONE;
    __syncthreads();
    if (threadIdx.x < D) point[threadIdx.x] = mean[threadIdx.x];
    __syncthreads();
    return farthest_on_rim(seed);
}

__device__ void begin_launch(const Records &all, const Task &work) {
    if (threadIdx.x == 0) {
        records = all;
        task = work;
        goal = 0;
        turn = work.state[4];
        left_records = work.state[0];
        length_here = all.lengths[blockIdx.x];
        alive_here = 0;
        leaving_count = 0;
        foreseen = NONE;
    }
    for (int i = threadIdx.x; i < RIM; i += THREADS) rim_rows[i] = NONE;
    __syncthreads();
    if (threadIdx.x < D) {
        total[threadIdx.x] = task.total[threadIdx.x];
        centre[threadIdx.x] = records.centre[threadIdx.x];
    }
    load_rows();
    const float *first = records.screen + (size_t)blockIdx.x * D * records.capacity;
    int alive = 0;
    for (int i = threadIdx.x; i < length_here; i += THREADS) alive += first[i] == first[i];
    atomicAdd(&alive_here, alive);
    __syncthreads();
}

__device__ __noinline__ void end_launch(int label, int next, bool finished) {
    settle();
    wait_for_all();  // every block has read the state
    if (threadIdx.x == 0) records.lengths[blockIdx.x] = length_here;
    if (blockIdx.x == 0) {
        if (threadIdx.x < D) task.total[threadIdx.x] = total[threadIdx.x];
        if (threadIdx.x == 0) {
            task.state[0] = left_records;
            task.state[1] = label;
            task.state[2] = next;
            task.state[3] = finished;
            task.state[4] = turn;
        }
    }
}

__device__ void tidy() {
    if (alive_here < 0.85 * length_here && length_here > WARPS) compact();
}

#define ARGUMENTS                                                                                               \
    const double *points, float *screen, int *rows, int *places, int *lengths, const double *centre,            \
        double scale, float e_abs, float e_rel, int capacity, int caches_rows, Answer *answers, unsigned *arrived, int k,        \
        int opposite, int growth, int enough, double gamma, const int *order, int rounds, int looks_ahead,      \
        int *labels,                                                                                            \
        double *totals, int *state, int *members, int *near, double *gaps
#define BEGIN                                                                                                   \
    begin_launch({points, screen, rows, places, lengths, centre, scale, e_abs, e_rel, capacity, caches_rows},   \
                 {k, opposite, growth, enough, gamma, order, rounds, looks_ahead, labels, totals, state, members, near,      \
                  gaps, answers, arrived})

extern "C" __global__ void __launch_bounds__(THREADS, 1) centroid_seeded(ARGUMENTS) {
    BEGIN;
    int label = task.state[1];
    for (int round = 0; round < task.rounds && left_records >= task.enough; round++) {
        tidy();
        settle();
        if (threadIdx.x < D) point[threadIdx.x] = mean[threadIdx.x] = total[threadIdx.x] / left_records;
        __syncthreads();
        int seed = farthest_on_rim(NONE);
        if (seed == NONE) {
            build_rim();
            seed = farthest_on_rim(NONE);
            if (seed == NONE) seed = farthest_of_all();
        }
        int next = task.opposite || seed == foreseen ? NONE : predict(seed);
        int opposite = grow(seed, label, task.opposite, next);
        label++;
        if (task.opposite && left_records >= task.enough) {
            if (opposite == NONE) {
                go_to_row(seed);
                opposite = farthest_of_all();
            }
            next = predict(opposite);
            grow(opposite, label, false, next);
            label++;
        }
    }
    end_launch(label, 0, left_records < task.enough);
}

// The nearest record left to `point`, and the next: near_distances, near_rows.
__device__ __noinline__ void two_nearest(int m) {
    float low, high;
    scan(&low, &high);
    __syncthreads();
    ask(low, high, m, false);
}

__device__ __noinline__ void extend(int label) {
    int *members = task.members + (size_t)blockIdx.x * 2 * task.k;
    int *near = task.near + (size_t)blockIdx.x * 2 * task.k;
    double *gaps = task.gaps + (size_t)blockIdx.x * 2 * task.k;
    __shared__ int best;
    for (int i = threadIdx.x; i < 2 * task.k; i += THREADS) near[i] = NONE;
    __syncthreads();
    for (int size = task.k; size < 2 * task.k - 1; size++) {
        if (left_records < 2) return;
        for (int i = 0; i < size; i++) {
            if (near[i] != NONE) continue;
            go_to_row(members[i]);
            two_nearest(1);
            if (threadIdx.x == 0) {
                near[i] = near_rows[0];
                gaps[i] = near_distances[0];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            best = 0;
            for (int i = 1; i < size; i++)
                if (precedes(gaps[i], near[i], gaps[best], near[best])) best = i;
            seeds[0] = near[best];
        }
        __syncthreads();
        double gap = gaps[best];
        int row = seeds[0];
        go_to_row(row);
        two_nearest(2);
        if (!(gap < task.gamma * near_distances[1])) return;
        if (blockIdx.x == 0 && threadIdx.x == 0) task.labels[row] = label;
        take_seed(row);
        for (int i = threadIdx.x; i < size; i += THREADS)
            if (near[i] == row) near[i] = NONE;
        if (threadIdx.x == 0) members[size] = row;
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1) v_mdav(ARGUMENTS) {
    BEGIN;
    int label = task.state[1], next = task.state[2];
    int *own = task.members + (size_t)blockIdx.x * 2 * task.k;
    for (int round = 0; round < task.rounds && left_records >= task.k; round++) {
        tidy();
        wait_for_all();  // the labels of the groups before are there for all blocks
        while (__ldcg(task.labels + task.order[next]) >= 0) next++;
        wait_for_all();  // all blocks have read them; now labels may be written
        int seed = task.order[next++];
        if (threadIdx.x == 0) own[0] = seed;
        grow(seed, label, false, NONE);
        extend(label);
        label++;
    }
    end_launch(label, next, left_records < task.k);
}
