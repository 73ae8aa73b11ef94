import java.io.File;
import java.nio.charset.StandardCharsets;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.AttributeType.MicroAggregationFunction;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataDefinition;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.DataType;
import org.deidentifier.arx.criteria.KAnonymity;

/**
 * Microaggregate numeric columns with ARX: every column is a quasi-identifier with a hierarchy, which
 * ARX uses to cluster the values before it replaces them by the mean of their class.
 *
 * Arguments: folder (data.csv, and one COLUMN.csv with the hierarchy of each column), k, and
 * "global" (one generalisation for all records, nothing suppressed) or "local" (local recoding).
 */
public class Microaggregate {

    public static void main(String[] args) throws Exception {
        String folder = args[0];
        int k = Integer.parseInt(args[1]);
        boolean local = args[2].equals("local");

        Data data = Data.create(new File(folder, "data.csv"), StandardCharsets.UTF_8, ',');
        DataDefinition definition = data.getDefinition();
        DataHandle input = data.getHandle();
        for (int column = 0; column < input.getNumColumns(); column++) {
            String name = input.getAttributeName(column);
            String hierarchy = new File(folder, name + ".csv").getPath();
            definition.setDataType(name, DataType.DECIMAL);
            definition.setAttributeType(name, AttributeType.QUASI_IDENTIFYING_ATTRIBUTE);
            definition.setHierarchy(name, Hierarchy.create(hierarchy, StandardCharsets.UTF_8, ','));
            definition.setMicroAggregationFunction(
                name, MicroAggregationFunction.createArithmeticMean(), true);
        }

        ARXConfiguration configuration = ARXConfiguration.create();
        configuration.addPrivacyModel(new KAnonymity(k));
        configuration.setSuppressionLimit(local ? 1d : 0d);

        long start = System.nanoTime();
        ARXResult result = new ARXAnonymizer().anonymize(data, configuration);
        DataHandle output = result.getOutput();
        if (local) {
            result.optimizeIterativeFast(output, 0.01d);
        }
        System.out.printf("%.3f%n", (System.nanoTime() - start) / 1e9);
        output.save(new File(folder, "masked.csv"), ',');
    }
}
