package io.netty.handler.codec.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Decodes one header block again and again. In Netty's package, because its decoder is private to
 * it; the headers are counted and dropped, so that it is the decoder that is measured and no map.
 */
public final class HpackBlock {
    private static final long MAX_HEADER_LIST = 1 << 20;

    private final HpackDecoder decoder = new HpackDecoder(MAX_HEADER_LIST);
    private final Counter counter = new Counter();
    private volatile ByteBuf block;

    public HpackBlock(byte[] encoded) {
        block = Unpooled.directBuffer(encoded.length).writeBytes(encoded);
    }

    /** The number of bytes in names and values. */
    public long decode() throws Http2Exception {
        ByteBuf b = block;
        b.readerIndex(0);
        counter.bytes = 0;
        decoder.decode(1, b, counter, false);
        return counter.bytes;
    }

    private static final class Counter extends DefaultHttp2Headers {
        private long bytes;

        Counter() {
            super(false);
        }

        @Override
        public Http2Headers add(CharSequence name, CharSequence value) {
            bytes += name.length() + value.length();
            return this;
        }
    }
}
