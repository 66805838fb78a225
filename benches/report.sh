#!/bin/sh
# Runs the benches and prints one line a row: its id, nanoseconds, and the ratio
# to the first of raw, arc, vec, bytes, bytes_chain, plain_rustls, unpooled,
# tokio_util that its case has. Ratios are of one run, so they hold on a busy
# machine too, more or less.
#
#     benches/report.sh                 all benches
#     benches/report.sh access          some of them; those of the codecs too
#     benches/report.sh --last          no run: what was measured last
set -eu
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}

case ${1-} in
--last) ;;
'') set -- access refcount composite alloc frame hpack http1 tls ;;
esac
if [ "$1" != --last ]; then
    rm -rf "$target/criterion"
    for bench; do
        cargo bench --workspace --bench "$bench" >&2
    done
fi

# Median of each row, from .../group/case/who/new/estimates.json.
find "$target/criterion" -path '*/new/estimates.json' | sort | while read -r file; do
    id=${file#"$target/criterion/"}
    sed 's/.*"median":{[^}]*},"point_estimate":\([0-9.eE+-]*\).*/\1/' "$file" |
        awk -v id="${id%/new/estimates.json}" '{ print id, $1 }'
done | awk '
    {
        split($1, part, "/")
        group = part[1] "/" part[2]
        ns[$1] = $2
        ids[++n] = $1
        groups[$1] = group
    }
    function base(group,   i) {
        for (i = 1; i <= 8; i++)
            if ((group "/" peers[i]) in ns) return group "/" peers[i]
        return ""
    }
    END {
        split("raw arc vec bytes bytes_chain plain_rustls unpooled tokio_util", peers, " ")
        printf "%-36s %12s %8s\n", "group/case/who", "ns", "ratio"
        for (i = 1; i <= n; i++) {
            b = base(groups[ids[i]])
            printf "%-36s %12.2f %8s\n", ids[i], ns[ids[i]], b == "" ? "-" : sprintf("%.2f", ns[ids[i]] / ns[b])
        }
    }'
