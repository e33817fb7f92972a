import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.apache.kafka.common.utils.Exit;

/**
 * Runs Kafka's command line tools one after the other in one JVM: starting one costs more than what most of them do.
 *
 * <p>A line of input is a call: base64 of the tool's class, what it reads and its arguments, with NUL between. A line
 * of output answers it: the exit status, and base64 of what it wrote to standard output and to standard error. The
 * first line says that it is ready.
 */
public final class Tools {
    /** Stands for the end of the process. */
    private static final class Ended extends RuntimeException {
        Ended() {
            super(null, null, false, false);
        }
    }

    /** The status of the first exit: many tools catch what ends them, and then end with another. */
    private static Integer status;

    /** What a tool does when its process ends: the console producer sends what it has read. */
    private static final List<Runnable> HOOKS = new ArrayList<>();

    public static void main(String[] nothing) throws Exception {
        Exit.setExitProcedure((given, message) -> end(given));
        Exit.setHaltProcedure((given, message) -> end(given));
        Exit.setShutdownHookAdder((name, hook) -> HOOKS.add(hook));
        BufferedReader calls = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        PrintStream answers = System.out;
        answers.println("ready");
        answers.flush();
        for (String line = calls.readLine(); line != null; line = calls.readLine()) {
            String call = new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8);
            answers.println(answer(call.split("\0", -1)));
            answers.flush();
        }
        // Threads that a tool has left behind must not keep the process.
        Runtime.getRuntime().halt(0);
    }

    private static void end(int given) {
        if (status == null) {
            status = given;
        }
        throw new Ended();
    }

    private static String answer(String[] call) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream oldOut = System.out;
        PrintStream oldErr = System.err;
        System.setIn(new ByteArrayInputStream(call[1].getBytes(StandardCharsets.UTF_8)));
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        status = null;
        try {
            String[] arguments = Arrays.copyOfRange(call, 2, call.length);
            Class.forName(call[0]).getMethod("main", String[].class).invoke(null, (Object) arguments);
        } catch (InvocationTargetException thrown) {
            if (!(thrown.getCause() instanceof Ended)) {
                thrown.getCause().printStackTrace();
                status = 1;
            }
        } finally {
            HOOKS.forEach(Runnable::run);
            HOOKS.clear();
            System.out.flush();
            System.err.flush();
            System.setOut(oldOut);
            System.setErr(oldErr);
        }
        Base64.Encoder base64 = Base64.getEncoder();
        int shown = status == null ? 0 : status;
        return shown + " " + base64.encodeToString(out.toByteArray()) + " " + base64.encodeToString(err.toByteArray());
    }
}
