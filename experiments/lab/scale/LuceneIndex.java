import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.QueryBuilder;

/**
 * What Lucene needs for the work of our index, for experiments.lab.scale. The task's CSV is read and decoded here, too.
 *
 * <pre>
 * java -cp JAR LuceneIndex.java index CSV DIR THREADS      sentences with texts, and arguments; as our index
 * java -cp JAR LuceneIndex.java search DIR QUERIES WARM    mean ms of a query (a line) for 1000 texts
 * java -cp JAR LuceneIndex.java digest CSV                 count and checksum of all sentences
 * </pre>
 *
 * The last line of the output is JSON.
 */
public class LuceneIndex {
    static final int BATCH = 64;
    static final int WAITING = 32;
    static final int BEST = 1000;
    static final List<Argument> END = new ArrayList<>();

    /** A row of the CSV as far as it is needed; the sentences are still a Python literal. */
    record Argument(long row, String id, String conclusion, String sentences) {}

    record Sentence(String id, String text) {}

    public static void main(String[] args) throws Exception {
        switch (args.length > 0 ? args[0] : "") {
            case "index" -> index(Path.of(args[1]), Path.of(args[2]), Integer.parseInt(args[3]));
            case "search" -> search(Path.of(args[1]), Path.of(args[2]), Integer.parseInt(args[3]));
            case "digest" -> digest(Path.of(args[1]));
            default -> fail("the first argument is index, search or digest");
        }
    }

    static void fail(String why) {
        System.err.println("error: " + why);
        Runtime.getRuntime().halt(1); // not exit(): threads may be waiting for one another
    }

    // ---- index ----

    static void index(Path csv, Path place, int threads) throws Exception {
        BlockingQueue<List<Argument>> queue = new ArrayBlockingQueue<>(WAITING);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (IndexWriter sentences = writer(place.resolve("sentence"));
                IndexWriter arguments = writer(place.resolve("argument"))) {
            Callable<Long> work = () -> {
                long count = 0;
                for (List<Argument> batch = queue.take(); batch != END; batch = queue.take()) {
                    for (Argument argument : batch) {
                        count += add(argument, sentences, arguments);
                    }
                }
                return count;
            };
            List<Future<Long>> workers =
                    IntStream.range(0, threads).mapToObj(i -> pool.submit(orFail(work))).toList();
            long rows = 0;
            List<Argument> batch = new ArrayList<>();
            try (Table table = new Table(csv)) {
                for (Argument row = table.next(); row != null; row = table.next(), rows++) {
                    batch.add(row);
                    if (batch.size() == BATCH) {
                        queue.put(batch);
                        batch = new ArrayList<>();
                    }
                }
            }
            queue.put(batch);
            for (int i = 0; i < threads; i++) {
                queue.put(END);
            }
            long found = 0;
            for (Future<Long> worker : workers) {
                found += worker.get();
            }
            sentences.commit();
            arguments.commit();
            System.out.printf("{\"arguments\": %d, \"sentences\": %d}%n", rows, found);
        } finally {
            pool.shutdown();
        }
    }

    /** A worker that fails ends the program: the reader would wait for it. */
    static Callable<Long> orFail(Callable<Long> work) {
        return () -> {
            try {
                return work.call();
            } catch (Throwable error) {
                fail(error.toString());
                throw error;
            }
        };
    }

    static IndexWriter writer(Path place) throws IOException {
        IndexWriterConfig config = new IndexWriterConfig(new EnglishAnalyzer());
        config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
        config.setRAMBufferSizeMB(192); // twice 96 MB: as much as ours gathers in its two processes
        return new IndexWriter(FSDirectory.open(place), config);
    }

    /** Frequencies without positions, as in our index. */
    static FieldType counted(boolean stored) {
        FieldType type = new FieldType();
        type.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
        type.setTokenized(true);
        type.setStored(stored);
        type.freeze();
        return type;
    }

    static final FieldType KEPT = counted(true);
    static final FieldType COUNTED = counted(false);

    static Document document(Sentence sentence) {
        Document document = new Document();
        document.add(new StoredField("id", sentence.id));
        document.add(new Field("text", sentence.text, KEPT));
        return document;
    }

    static int add(Argument argument, IndexWriter sentences, IndexWriter arguments) throws IOException {
        List<Sentence> found = sentences(argument);
        StringBuilder text = new StringBuilder();
        for (Sentence sentence : found) {
            sentences.addDocument(document(sentence));
            text.append(sentence.text).append('\n');
        }
        Document document = new Document();
        document.add(new StoredField("id", argument.id));
        document.add(new Field("text", text.toString(), COUNTED));
        document.add(new Field("conclusion", argument.conclusion, COUNTED));
        arguments.addDocument(document);
        return found.size();
    }

    // ---- search ----

    static void search(Path place, Path file, int warm) throws IOException {
        List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        try (DirectoryReader reader = DirectoryReader.open(FSDirectory.open(place));
                Analyzer analyzer = new EnglishAnalyzer()) {
            IndexSearcher searcher = new IndexSearcher(reader);
            QueryBuilder queries = new QueryBuilder(analyzer); // any of the terms
            long hits = 0;
            long start = 0;
            for (int round = 0; round <= warm; round++) {
                start = System.nanoTime();
                hits = 0;
                for (String line : lines) {
                    hits += searcher.search(queries.createBooleanQuery("text", line), BEST).scoreDocs.length;
                }
            }
            double mean = (System.nanoTime() - start) / 1e6 / lines.size();
            System.out.printf("{\"query_ms\": %s, \"hits\": %d}%n", Double.toString(mean), hits);
        }
    }

    // ---- digest ----

    /** The sum of CRC32 over "id TAB text" does not depend on the order, and Python has it too. */
    static void digest(Path csv) throws IOException {
        long arguments = 0;
        long sentences = 0;
        long sum = 0;
        try (Table table = new Table(csv)) {
            for (Argument row = table.next(); row != null; row = table.next(), arguments++) {
                for (Sentence sentence : sentences(row)) {
                    CRC32 crc = new CRC32();
                    crc.update((sentence.id + "\t" + sentence.text).getBytes(StandardCharsets.UTF_8));
                    sum += crc.getValue();
                    sentences++;
                }
            }
        }
        System.out.printf("{\"arguments\": %d, \"sentences\": %d, \"digest\": %d}%n", arguments, sentences, sum);
    }

    // ---- read ----

    /** The sentences of an argument; a conclusion that the corpus leaves out because it is short is put back. */
    static List<Sentence> sentences(Argument argument) {
        List<Sentence> found;
        try {
            found = new Literal(argument.sentences).sentences();
        } catch (IllegalArgumentException | StringIndexOutOfBoundsException error) {
            throw new IllegalArgumentException("row " + argument.row + ": sentences: " + error.getMessage());
        }
        String conclusion = stripped(argument.conclusion);
        String role = argument.id + "__CONC__";
        if (!conclusion.isEmpty() && found.stream().noneMatch(sentence -> sentence.id.startsWith(role))) {
            found.add(new Sentence(role + "1", conclusion));
        }
        return found;
    }

    /** As Python's str.strip(). */
    static String stripped(String text) {
        int start = 0;
        int end = text.length();
        while (start < end && isSpace(text.charAt(start))) {
            start++;
        }
        while (end > start && isSpace(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(start, end);
    }

    static boolean isSpace(char c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == '\u0085';
    }

    /** RFC 4180 in UTF-8. Cells that nobody needs are skipped, not built. */
    static class Table implements AutoCloseable {
        private final Reader in;
        private final char[] buffer = new char[1 << 16];
        private int at = 0;
        private int end = 0;
        private final Map<String, Integer> columns = new HashMap<>();
        private long row = 0;
        private boolean ended = false;

        Table(Path csv) throws IOException {
            in = new InputStreamReader(
                    new BufferedInputStream(Files.newInputStream(csv), 1 << 20), StandardCharsets.UTF_8.newDecoder());
            if (peek() == '\uFEFF') {
                at++;
            }
            List<String> names = cells(null);
            for (int i = 0; i < names.size(); i++) {
                columns.put(names.get(i), i);
            }
            if (!columns.keySet().containsAll(List.of("id", "conclusion", "sentences"))) {
                fail("no columns id, conclusion, sentences in " + csv);
            }
        }

        Argument next() throws IOException {
            Set<Integer> wanted = Set.of(columns.get("id"), columns.get("conclusion"), columns.get("sentences"));
            while (!ended && peek() >= 0) {
                List<String> cells = cells(wanted);
                if (cells.size() == 1 && cells.get(0).isEmpty()) {
                    continue; // an empty line
                }
                row++;
                if (cells.size() != columns.size()) {
                    throw new IOException("row " + row + " has " + cells.size() + " cells");
                }
                return new Argument(
                        row,
                        cells.get(columns.get("id")),
                        cells.get(columns.get("conclusion")),
                        cells.get(columns.get("sentences")));
            }
            return null;
        }

        private int peek() throws IOException {
            if (at == end) {
                end = Math.max(in.read(buffer, 0, buffer.length), 0);
                at = 0;
                if (end == 0) {
                    ended = true;
                    return -1;
                }
            }
            return buffer[at];
        }

        /** A row; of cells that are not wanted the text is empty. All are when wanted is null. */
        private List<String> cells(Set<Integer> wanted) throws IOException {
            List<String> cells = new ArrayList<>();
            StringBuilder text = new StringBuilder();
            while (true) {
                boolean keep = wanted == null || wanted.contains(cells.size());
                text.setLength(0);
                if (peek() == '"') {
                    at++;
                    quoted(text, keep);
                }
                int c = peek();
                while (c >= 0 && c != ',' && c != '\n' && c != '\r') {
                    if (keep || cells.isEmpty()) {
                        text.append((char) c);
                    }
                    at++;
                    c = peek();
                }
                cells.add(text.toString());
                if (c == '\r') {
                    at++;
                    c = peek();
                }
                if (c >= 0) {
                    at++;
                }
                if (c != ',') {
                    return cells;
                }
            }
        }

        /** The rest of a quoted cell, up to its closing quote; a run of plain text is taken at once. */
        private void quoted(StringBuilder text, boolean keep) throws IOException {
            while (true) {
                if (peek() < 0) {
                    throw new IOException("the file ends inside a quoted cell");
                }
                int start = at;
                while (at < end && buffer[at] != '"') {
                    at++;
                }
                if (keep) {
                    text.append(buffer, start, at - start);
                }
                if (at < end) {
                    at++;
                    if (peek() != '"') {
                        return;
                    }
                    at++;
                    if (keep) {
                        text.append('"');
                    }
                }
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    /** A Python literal: a list of dicts from strings to strings, numbers or names, as repr() writes it. */
    static class Literal {
        private final String source;
        private int at = 0;

        Literal(String source) {
            this.source = source;
        }

        List<Sentence> sentences() {
            List<Sentence> found = new ArrayList<>();
            expect('[');
            while (!taken(']')) {
                expect('{');
                String id = null;
                String text = null;
                while (!taken('}')) {
                    String key = string();
                    expect(':');
                    String value = value();
                    if (key.equals("sent_id")) {
                        id = value;
                    } else if (key.equals("sent_text")) {
                        text = value;
                    }
                    taken(',');
                }
                if (id == null || text == null) {
                    throw new IllegalArgumentException("a sentence without sent_id and sent_text");
                }
                found.add(new Sentence(id, text));
                taken(',');
            }
            return found;
        }

        private void skip() {
            while (at < source.length() && " \t\r\n\f".indexOf(source.charAt(at)) >= 0) {
                at++;
            }
        }

        private boolean taken(char wanted) {
            skip();
            if (source.charAt(at) != wanted) {
                return false;
            }
            at++;
            return true;
        }

        private void expect(char wanted) {
            if (!taken(wanted)) {
                throw new IllegalArgumentException("no " + wanted + " at " + at);
            }
        }

        /** A string; null for a number or a name. */
        private String value() {
            skip();
            if (source.charAt(at) == '\'' || source.charAt(at) == '"') {
                return string();
            }
            int start = at;
            while (Character.isLetterOrDigit(source.charAt(at)) || "+-._".indexOf(source.charAt(at)) >= 0) {
                at++;
            }
            if (at == start) {
                throw new IllegalArgumentException("no value at " + at);
            }
            return null;
        }

        private String string() {
            skip();
            char quote = source.charAt(at++);
            if (quote != '\'' && quote != '"') {
                throw new IllegalArgumentException("no string at " + (at - 1));
            }
            int start = at;
            while (source.charAt(at) != quote && source.charAt(at) != '\\') {
                at++;
            }
            if (source.charAt(at) == quote) { // nearly always
                return encodable(source.substring(start, at++));
            }
            StringBuilder text = new StringBuilder(source.substring(start, at));
            while (true) {
                char c = source.charAt(at++);
                if (c == quote) {
                    return encodable(text.toString());
                } else if (c == '\\') {
                    escape(text);
                } else {
                    text.append(c);
                }
            }
        }

        private void escape(StringBuilder text) {
            char c = source.charAt(at++);
            switch (c) {
                case '\\', '\'', '"' -> text.append(c);
                case '\n' -> { }
                case 'a' -> text.append('\u0007');
                case 'b' -> text.append('\b');
                case 'f' -> text.append('\f');
                case 'n' -> text.append('\n');
                case 'r' -> text.append('\r');
                case 't' -> text.append('\t');
                case 'v' -> text.append('\u000B');
                case 'x' -> text.appendCodePoint(hex(2));
                case 'u' -> text.append((char) hex(4));
                case 'U' -> text.appendCodePoint(hex(8));
                case 'N' -> {
                    int close = source.indexOf('}', at);
                    text.appendCodePoint(Character.codePointOf(source.substring(at + 1, close)));
                    at = close + 1;
                }
                case '0', '1', '2', '3', '4', '5', '6', '7' -> {
                    int value = c - '0';
                    for (int i = 0; i < 2 && "01234567".indexOf(source.charAt(at)) >= 0; i++) {
                        value = 8 * value + source.charAt(at++) - '0';
                    }
                    text.append((char) value);
                }
                default -> text.append('\\').append(c);
            }
        }

        private int hex(int digits) {
            at += digits;
            return Integer.parseUnsignedInt(source.substring(at - digits, at), 16);
        }

        /** Half a surrogate pair alone becomes U+FFFD. */
        private static String encodable(String text) {
            for (int i = 0; i < text.length(); i++) {
                if (Character.isSurrogate(text.charAt(i))) {
                    StringBuilder whole = new StringBuilder();
                    text.codePoints()
                            .map(point -> 0xD800 <= point && point <= 0xDFFF ? 0xFFFD : point)
                            .forEach(whole::appendCodePoint);
                    return whole.toString();
                }
            }
            return text;
        }
    }
}
