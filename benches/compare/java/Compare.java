import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http2.HpackBlock;
import io.netty.util.Version;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.internal.PlatformDependent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;

/**
 * One case of Netty's side, in a JVM of its own: what the compiler learned from another case
 * would shape the code of this one.
 *
 * <pre>Compare case kind size threads warm-up-seconds seconds sample-milliseconds</pre>
 *
 * Prints {@code info name value} and, for each sample, {@code sample nanoseconds-per-operation}.
 *
 * What keeps the compiler honest, as the loop of the Rust side does it (measure.rs):
 * <ul>
 *   <li>The buffer and the index are read from volatile fields in each iteration. On x86 that is a
 *       plain load, and behind it nothing that was read before may be reused: bounds, reference
 *       counts and addresses are read again, as they would be by a codec that is handed a buffer.
 *       Nothing is hoisted out of the loop, and neither side gets to do that.
 *   <li>What an operation computes is summed up and written to a volatile field after each batch.
 *   <li>What an operation makes (a slice, a buffer) is stored in a field, so that it has to exist.
 *   <li>One loop for all cases; it is compiled with the one operation that was ever loaded, which
 *       the compiler knows and inlines.
 * </ul>
 */
public final class Compare {
    /** One operation of a case. */
    abstract static class Operation {
        volatile ByteBuf buf;
        volatile int index;

        abstract long run() throws Exception;
    }

    /** Where results go. */
    static volatile long sink;

    /** Where things go that have to exist. Not volatile: a fence is not what is measured. */
    static Object escape;

    static long batch(Operation operation, long iterations) throws Exception {
        long sum = 0;
        for (long i = 0; i < iterations; i++) {
            sum += operation.run();
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        String name = args[0];
        String kind = args[1];
        int size = Integer.parseInt(args[2]);
        int threads = Integer.parseInt(args[3]);
        double warmUp = Double.parseDouble(args[4]);
        double seconds = Double.parseDouble(args[5]);
        double sampleNanos = Double.parseDouble(args[6]) * 1e6;

        System.out.println("info netty " + Version.identify().get("netty-buffer").artifactVersion());
        System.out.println("info unsafe " + PlatformDependent.hasUnsafe());
        System.out.println(
                "info direct-without-cleaner " + PlatformDependent.useDirectBufferNoCleaner());

        List<Double> samples = new ArrayList<>();
        CyclicBarrier start = new CyclicBarrier(threads);
        List<Thread> all = new ArrayList<>();
        Throwable[] failure = new Throwable[1];
        for (int i = 0; i < threads; i++) {
            // Netty's own kind of thread: its thread-locals are an array access there.
            Thread thread = new FastThreadLocalThread(() -> {
                try {
                    List<Double> own =
                            measure(operation(name, kind, size), start, warmUp, seconds, sampleNanos);
                    synchronized (samples) {
                        samples.addAll(own);
                    }
                } catch (Throwable t) {
                    failure[0] = t;
                }
            });
            all.add(thread);
            thread.start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        if (failure[0] != null) {
            failure[0].printStackTrace();
            System.exit(1);
        }
        StringBuilder out = new StringBuilder();
        for (double sample : samples) {
            out.append("sample ").append(sample).append('\n');
        }
        System.out.print(out);
    }

    static List<Double> measure(
            Operation operation,
            CyclicBarrier start,
            double warmUp,
            double seconds,
            double sampleNanos) throws Exception {
        // Batches grow to the length of a sample during the warm-up.
        long iterations = 1;
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < warmUp * 1e9) {
            long before = System.nanoTime();
            sink = batch(operation, iterations);
            double took = Math.max(1, System.nanoTime() - before);
            double wanted = iterations * sampleNanos / took;
            iterations = Math.max(1, (long) Math.min(wanted, iterations * 4.0));
        }
        start.await();
        List<Double> samples = new ArrayList<>();
        begin = System.nanoTime();
        while (System.nanoTime() - begin < seconds * 1e9) {
            long before = System.nanoTime();
            sink = batch(operation, iterations);
            samples.add((double) (System.nanoTime() - before) / iterations);
        }
        return samples;
    }

    static Operation operation(String name, String kind, int size) throws Exception {
        switch (name) {
            case "empty":
                return new Empty();
            case "get_u64":
                return access(new GetLong(), kind, size);
            case "set_u64":
                return access(new SetLong(), kind, size);
            case "set_get_u64":
                return access(new SetGetLong(), kind, size);
            case "read_u64":
                return access(new ReadLong(), kind, size);
            case "read_batch8":
                return access(new ReadBatch(), kind, size);
            case "write_u64":
                return access(new WriteLong(), kind, size);
            case "write_batch8":
                return access(new WriteBatch(), kind, size);
            case "alloc":
                return new Allocate(kind, size);
            case "clone":
                return over(new Retain(), Unpooled.buffer(64).writeZero(64), 0);
            case "slice":
                return over(new RetainedSlice(size), Unpooled.buffer(4096).writeZero(4096), INDEX);
            case "cut":
                return over(new Cut(size), Unpooled.buffer(RECEIVED).writeZero(RECEIVED), 0);
            case "build":
                return new Build(size);
            case "read_rope":
                return over(new ReadAll(), rope(size), 0);
            case "random_rope":
                return over(new RandomGet(), rope(size), 0);
            case "find":
                return over(new Find(), markAtEnd(kind, size), 0);
            case "hpack":
                // The kind is the file of the encoded block.
                return new Hpack(Files.readAllBytes(Path.of(kind)));
            default:
                throw new IllegalArgumentException(name);
        }
    }

    /** Not aligned, inside a composite's first component. */
    static final int INDEX = 13;

    static final int RECEIVED = 64 << 10;

    static Operation over(Operation operation, ByteBuf buf, int index) {
        operation.buf = buf;
        operation.index = index;
        return operation;
    }

    static Operation access(Operation operation, String kind, int size) {
        return over(operation, buffer(kind, size), INDEX);
    }

    static ByteBuf buffer(String kind, int size) {
        switch (kind) {
            case "heap":
                return Unpooled.buffer(size).writeZero(size);
            case "direct":
                return Unpooled.directBuffer(size).writeZero(size);
            case "slice":
                return Unpooled.buffer(size).writeZero(size).slice();
            case "composite":
                return Unpooled.compositeBuffer()
                        .addComponent(true, Unpooled.buffer(size / 2).writeZero(size / 2))
                        .addComponent(true, Unpooled.buffer(size / 2).writeZero(size / 2));
            default:
                throw new IllegalArgumentException(kind);
        }
    }

    /** Components of 64 bytes: one buffer, many times. */
    static CompositeByteBuf rope(int components) {
        CompositeByteBuf rope = Unpooled.compositeBuffer(Math.max(components, 16));
        ByteBuf part = Unpooled.buffer(64).writeZero(64);
        for (int i = 0; i < components; i++) {
            rope.addComponent(true, part.retain());
        }
        return rope;
    }

    /** Zeros, and at the end the byte that is looked for. */
    static ByteBuf markAtEnd(String kind, int size) {
        ByteBuf buf;
        if (kind.equals("composite")) {
            buf = rope(size / 64 - 1);
            ((CompositeByteBuf) buf).addComponent(true, Unpooled.buffer(64).writeZero(64));
        } else {
            buf = buffer(kind, size);
        }
        return buf.setByte(size - 1, 1);
    }

    static final class Empty extends Operation {
        @Override
        long run() {
            return index;
        }
    }

    static final class GetLong extends Operation {
        @Override
        long run() {
            return buf.getLong(index);
        }
    }

    static final class SetLong extends Operation {
        @Override
        long run() {
            ByteBuf b = buf;
            int i = index;
            b.setLong(i, i);
            return 0;
        }
    }

    static final class SetGetLong extends Operation {
        @Override
        long run() {
            ByteBuf b = buf;
            int i = index;
            b.setLong(i, i);
            return b.getLong(index);
        }
    }

    static final class ReadLong extends Operation {
        @Override
        long run() {
            ByteBuf b = buf;
            long value = b.readLong();
            b.readerIndex(0);
            return value;
        }
    }

    static final class ReadBatch extends Operation {
        @Override
        long run() {
            ByteBuf b = buf;
            long sum = 0;
            for (int i = 0; i < 8; i++) {
                sum += b.readByte() & 0xff;
            }
            b.readerIndex(0);
            return sum;
        }
    }

    static final class WriteLong extends Operation {
        @Override
        long run() {
            ByteBuf b = buf;
            b.writerIndex(0);
            b.writeLong(index);
            return 0;
        }
    }

    static final class WriteBatch extends Operation {
        @Override
        long run() {
            ByteBuf b = buf;
            b.writerIndex(0);
            for (int i = 0; i < 8; i++) {
                b.writeByte(i);
            }
            return 0;
        }
    }

    static final class Allocate extends Operation {
        private final ByteBufAllocator allocator;
        private final boolean direct;

        Allocate(String kind, int size) {
            allocator = kind.startsWith("pooled")
                    ? PooledByteBufAllocator.DEFAULT
                    : UnpooledByteBufAllocator.DEFAULT;
            direct = kind.endsWith("direct");
            index = size;
        }

        @Override
        long run() {
            ByteBuf b = direct ? allocator.directBuffer(index) : allocator.heapBuffer(index);
            escape = b;
            return b.release() ? 1 : 0;
        }
    }

    static final class Retain extends Operation {
        @Override
        long run() {
            ByteBuf b = buf;
            b.retain();
            escape = b;
            return b.release() ? 1 : 0;
        }
    }

    static final class RetainedSlice extends Operation {
        private final int length;

        RetainedSlice(int length) {
            this.length = length;
        }

        @Override
        long run() {
            ByteBuf slice = buf.retainedSlice(index, length);
            escape = slice;
            return slice.release() ? 1 : 0;
        }
    }

    static final class Cut extends Operation {
        private final int length;

        Cut(int length) {
            this.length = length;
        }

        @Override
        long run() {
            ByteBuf b = buf;
            if (b.readableBytes() < length) {
                b.readerIndex(0);
            }
            ByteBuf frame = b.readRetainedSlice(length);
            escape = frame;
            return frame.release() ? 1 : 0;
        }
    }

    static final class Build extends Operation {
        Build(int components) {
            buf = Unpooled.buffer(64).writeZero(64);
            index = components;
        }

        @Override
        long run() {
            ByteBuf part = buf;
            int components = index;
            CompositeByteBuf rope = Unpooled.compositeBuffer(components);
            for (int i = 0; i < components; i++) {
                rope.addComponent(true, part.retain());
            }
            escape = rope;
            return rope.release() ? 1 : 0;
        }
    }

    static final class ReadAll extends Operation {
        @Override
        long run() {
            ByteBuf b = buf;
            long sum = 0;
            while (b.isReadable()) {
                sum += b.readByte() & 0xff;
            }
            b.readerIndex(0);
            return sum;
        }
    }

    static final class RandomGet extends Operation {
        private long random = 1;

        @Override
        long run() {
            random = random * 6_364_136_223_846_793_005L + 1;
            ByteBuf b = buf;
            return b.getByte((int) (random >>> 33) & 1023) & 0xff;
        }
    }

    static final class Find extends Operation {
        @Override
        long run() {
            return buf.bytesBefore((byte) 1);
        }
    }

    static final class Hpack extends Operation {
        private final HpackBlock block;

        Hpack(byte[] encoded) {
            block = new HpackBlock(encoded);
        }

        @Override
        long run() throws Exception {
            return block.decode();
        }
    }
}
