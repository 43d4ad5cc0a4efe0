import java.nio.file.Path;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

/** A Neo4j that ends when its standard input does. */
class Neo4jServer {
    public static void main(String[] args) throws Exception {
        var home = Path.of(args[0]);
        var service = new DatabaseManagementServiceBuilder(home)
            .loadPropertiesFromFile(home.resolve("neo4j.conf"))
            .build();
        System.out.println("ready");
        while (System.in.read() >= 0) {
        }
        service.shutdown();
    }
}
