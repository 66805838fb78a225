//! The `metrics` facade: a pool's numbers for whatever recorder the program
//! has installed.

use alloc::string::ToString;

use metrics::{SharedString, Unit, counter, describe_counter, describe_gauge, gauge};

use crate::Pool;

impl Pool {
    /// Publishes [`stats`](Pool::stats) through the `metrics` facade, labelled
    /// `pool=name`: to be called before a scrape or every few seconds. Without
    /// a recorder it does nothing.
    ///
    /// | metric | kind | more labels |
    /// |---|---|---|
    /// | `refbuf_pool_live_bytes`, `refbuf_pool_idle_bytes`, `refbuf_pool_reserved_bytes`, `refbuf_pool_reserved_high_bytes` | gauge | |
    /// | `refbuf_pool_taken_total`, `refbuf_pool_misses_total`, `refbuf_pool_oversized_total` | counter | |
    /// | `refbuf_pool_class_live_bytes` | gauge | `kind` (`heap`, `direct`), `size` |
    /// | `refbuf_pool_class_taken_total`, `refbuf_pool_class_misses_total` | counter | the same |
    ///
    /// ```
    /// use refbuf::Pool;
    ///
    /// // In the program's periodic work:
    /// Pool::global().publish_metrics("global");
    /// ```
    // Gauges are floating point: exact below 2^53 bytes.
    #[allow(clippy::cast_precision_loss)]
    pub fn publish_metrics(&self, name: &str) {
        describe();
        let stats = self.stats();
        let name = SharedString::from(name.to_string());
        let pool = [("pool", name.clone())];

        gauge!("refbuf_pool_live_bytes", &pool).set(stats.live_bytes() as f64);
        gauge!("refbuf_pool_idle_bytes", &pool).set(stats.idle_bytes() as f64);
        gauge!("refbuf_pool_reserved_bytes", &pool).set(stats.reserved as f64);
        gauge!("refbuf_pool_reserved_high_bytes", &pool).set(stats.reserved_high as f64);
        counter!("refbuf_pool_taken_total", &pool).absolute(stats.taken());
        counter!("refbuf_pool_misses_total", &pool).absolute(stats.misses());
        counter!("refbuf_pool_oversized_total", &pool).absolute(stats.oversized);

        for class in &stats.classes {
            let kind = if class.direct { "direct" } else { "heap" };
            let labels = [
                ("pool", name.clone()),
                ("kind", kind.into()),
                ("size", class.size.to_string().into()),
            ];
            gauge!("refbuf_pool_class_live_bytes", &labels).set(class.live_bytes() as f64);
            counter!("refbuf_pool_class_taken_total", &labels).absolute(class.taken);
            counter!("refbuf_pool_class_misses_total", &labels).absolute(class.misses);
        }
    }
}

/// Every time, for a recorder may have been installed since the last.
fn describe() {
    let bytes = Unit::Bytes;
    describe_gauge!("refbuf_pool_live_bytes", bytes, "in use");
    describe_gauge!("refbuf_pool_idle_bytes", bytes, "from the system, not in use");
    describe_gauge!("refbuf_pool_reserved_bytes", bytes, "from the system");
    describe_gauge!("refbuf_pool_reserved_high_bytes", bytes, "the most ever from the system");
    describe_counter!("refbuf_pool_taken_total", "blocks handed out");
    describe_counter!("refbuf_pool_misses_total", "times that memory had to be made");
    describe_counter!("refbuf_pool_oversized_total", "blocks too large to pool");
    describe_gauge!("refbuf_pool_class_live_bytes", bytes, "in use in blocks of this size");
    describe_counter!("refbuf_pool_class_taken_total", "blocks of this size handed out");
    describe_counter!("refbuf_pool_class_misses_total", "times that such memory had to be made");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BufAllocator, PoolConfig};
    use alloc::collections::BTreeMap;
    use alloc::format;
    use alloc::string::String;
    use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder};
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Mutex};

    /// Remembers the last value of each metric, gauges as the bits of an `f64`,
    /// and what was described.
    #[derive(Default)]
    struct Remember {
        values: Mutex<BTreeMap<String, Arc<AtomicU64>>>,
        described: Mutex<BTreeMap<String, Option<Unit>>>,
    }

    impl Remember {
        fn value(&self, key: &Key) -> Arc<AtomicU64> {
            let labels = key.labels().map(|label| format!(",{}={}", label.key(), label.value()));
            let name = format!("{}{}", key.name(), labels.collect::<String>());
            self.values.lock().unwrap().entry(name).or_default().clone()
        }

        fn counter(&self, name: &str) -> u64 {
            self.values.lock().unwrap()[name].load(Ordering::Relaxed)
        }

        fn gauge(&self, name: &str) -> f64 {
            f64::from_bits(self.counter(name))
        }
    }

    impl Recorder for Remember {
        fn describe_counter(&self, name: KeyName, unit: Option<Unit>, _: SharedString) {
            self.described.lock().unwrap().insert(name.as_str().to_string(), unit);
        }

        fn describe_gauge(&self, name: KeyName, unit: Option<Unit>, _: SharedString) {
            self.described.lock().unwrap().insert(name.as_str().to_string(), unit);
        }

        fn describe_histogram(&self, name: KeyName, _: Option<Unit>, _: SharedString) {
            panic!("{name:?}: a pool has no histogram");
        }

        fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
            Counter::from_arc(self.value(key))
        }

        fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
            Gauge::from_arc(self.value(key))
        }

        fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
            panic!("{key}: a pool has no histogram");
        }
    }

    #[test]
    fn what_the_pool_counts_is_published() {
        let recorder = Remember::default();
        let pool = Pool::new(PoolConfig::new().max_pooled(4096));
        let publish = || metrics::with_local_recorder(&recorder, || pool.publish_metrics("test"));

        let held = pool.heap(1000);
        drop(pool.heap(4000));
        drop(pool.heap(4000));
        drop(pool.heap(5000));
        publish();
        assert_eq!(recorder.gauge("refbuf_pool_live_bytes,pool=test"), 1024.0);
        assert_eq!(recorder.gauge("refbuf_pool_idle_bytes,pool=test"), 4096.0);
        assert_eq!(recorder.gauge("refbuf_pool_reserved_bytes,pool=test"), 5120.0);
        assert!(recorder.gauge("refbuf_pool_reserved_high_bytes,pool=test") >= 10120.0);
        assert_eq!(recorder.counter("refbuf_pool_taken_total,pool=test"), 3);
        assert_eq!(recorder.counter("refbuf_pool_misses_total,pool=test"), 2);
        assert_eq!(recorder.counter("refbuf_pool_oversized_total,pool=test"), 1);
        let of_class = |name: &str, size: usize| {
            format!("refbuf_pool_class_{name},pool=test,kind=heap,size={size}")
        };
        assert_eq!(recorder.gauge(&of_class("live_bytes", 1024)), 1024.0);
        assert_eq!(recorder.gauge(&of_class("live_bytes", 4096)), 0.0);
        assert_eq!(recorder.counter(&of_class("taken_total", 4096)), 2);
        assert_eq!(recorder.counter(&of_class("misses_total", 4096)), 1);

        drop(held);
        publish();
        assert_eq!(recorder.gauge("refbuf_pool_live_bytes,pool=test"), 0.0);
        assert_eq!(recorder.gauge(&of_class("live_bytes", 1024)), 0.0);
    }

    #[test]
    fn every_metric_is_described_and_bytes_have_their_unit() {
        let recorder = Remember::default();
        let pool = Pool::new(PoolConfig::new());
        let _held = pool.heap(1);
        metrics::with_local_recorder(&recorder, || pool.publish_metrics("test"));
        let described = recorder.described.lock().unwrap();
        let values = recorder.values.lock().unwrap();
        for name in values.keys().filter_map(|key| key.split(',').next()) {
            let unit = described.get(name).unwrap_or_else(|| panic!("{name} is not described"));
            assert_eq!(unit.is_some(), name.ends_with("_bytes"), "{name}");
        }
        assert_eq!(described.len(), values.len(), "described and never published");
    }
}
