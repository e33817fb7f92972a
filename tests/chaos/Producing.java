import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sends a record every 20 ms with Kafka's own client, and prints when each was sent and acknowledged, in ms since 1970.
 */
public final class Producing {
    private Producing() {}

    public static void main(String[] arguments) throws Exception {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", arguments[0]);
        settings.put("client.id", "java");
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            while (true) {
                long sent = System.currentTimeMillis();
                producer.send(new ProducerRecord<>(arguments[1], "java"), (metadata, error) -> {
                    if (error == null) {
                        System.out.println(sent + " " + System.currentTimeMillis());
                    }
                });
                Thread.sleep(20);
            }
        }
    }
}
