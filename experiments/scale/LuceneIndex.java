import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
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
 * What Lucene needs for sentences, or passages, that are decoded already, for experiments.scale.
 *
 * <pre>
 * java -cp JAR LuceneIndex.java index FILE DIR THREADS     a text a line, "id TAB text"; both are stored
 * java -cp JAR LuceneIndex.java search DIR QUERIES WARM    mean ms of a query (a line) for 1000 texts
 * </pre>
 *
 * The last line of the output is JSON.
 */
public class LuceneIndex {
    static final int BEST = 1000;

    public static void main(String[] args) throws Exception {
        if (args.length == 4 && args[0].equals("index")) {
            index(Path.of(args[1]), Path.of(args[2]), Integer.parseInt(args[3]));
        } else if (args.length == 4 && args[0].equals("search")) {
            search(Path.of(args[1]), Path.of(args[2]), Integer.parseInt(args[3]));
        } else {
            System.err.println("error: the arguments are index FILE DIR THREADS, or search DIR QUERIES WARM");
            System.exit(1);
        }
    }

    static void index(Path file, Path place, int threads) throws Exception {
        IndexWriterConfig config = new IndexWriterConfig(new EnglishAnalyzer());
        config.setRAMBufferSizeMB(192); // twice 96 MB: as much as ours gathers in its two processes
        FieldType counted = new FieldType(); // frequencies without positions, as in our index
        counted.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
        counted.setStored(true);
        counted.freeze();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (IndexWriter writer = new IndexWriter(FSDirectory.open(place), config);
                BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            Callable<Long> work = () -> {
                long count = 0;
                for (String line = lines.readLine(); line != null; line = lines.readLine(), count++) {
                    String[] cells = line.split("\t", 2);
                    Document document = new Document();
                    document.add(new StoredField("id", cells[0]));
                    document.add(new Field("text", cells[1], counted));
                    writer.addDocument(document);
                }
                return count;
            };
            long texts = 0;
            for (Future<Long> done : pool.invokeAll(IntStream.range(0, threads).mapToObj(i -> work).toList())) {
                texts += done.get();
            }
            writer.commit();
            System.out.printf("{\"texts\": %d}%n", texts);
        } finally {
            pool.shutdown();
        }
    }

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
}
